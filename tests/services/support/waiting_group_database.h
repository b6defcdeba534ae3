// A database with waiting groups, in the state a scheduler leaves.
#pragma once

#include <string>

#include "tests/services/support/command_database.h"

namespace fluxnetes::services {

class WaitingGroupDatabase : public CommandDatabase {
 protected:
  // Adds n0 and n1 of 4 cpu. a/runs has 3 cpu of each for another 1,000 s;
  // a/first needs both and has a reservation from then on; a/asked needs 1 cpu,
  // without end.
  void AddWaitingGroup() {
    using std::chrono::seconds;
    const std::string before = At(seconds(-100));
    database_.Execute(
        "INSERT INTO nodes (node_name, cpu_milli, memory_bytes, pods, labels,"
        "  seen_at) VALUES ('n0', 4000, 1000, 110, '{}', now()),"
        " ('n1', 4000, 1000, 110, '{}', now()),"
        " ('small', 500, 1000, 110, '{}', now());"
        "INSERT INTO pod_groups (id, namespace, group_name, group_size, queue,"
        "  priority, state, phase, shape, duration_seconds, submitted_at,"
        "  promoted_at, allocated_at, bound_at) VALUES"
        " (1, 'a', 'runs', 2, 'default', 0, 'bound', NULL, 1, 1100, " +
        before + "," + before + "," + before + "," + before +
        "), (2, 'a', 'first', 2, 'default', 0, 'pending', 'reserved', 2, 500," +
        before + "," + before +
        ", NULL, NULL), (3, 'a', 'asked', 1, 'default', 0, 'pending',"
        "  'queued', 3, NULL, " +
        At(seconds(-10)) + "," + At(seconds(-10)) +
        ", NULL, NULL);"
        "INSERT INTO allocations (fluxion_job, group_id, queue, nodes, term,"
        "  starts_at, ends_at) VALUES (1, 1, 'default', '{n0,n1}', 1, " +
        before + "," + At(seconds(1'000)) +
        ");"
        "INSERT INTO placements (fluxion_job, pod_uid, node_name, cpu_milli,"
        "  memory_bytes) VALUES (1, 'r0', 'n0', 3000, 0),"
        "  (1, 'r1', 'n1', 3000, 0);"
        "INSERT INTO reservations (group_id, queue, kind, starts_at, nodes,"
        "  made_at) VALUES (2, 'default', 'reservation', " +
        At(seconds(1'000)) +
        ", '{n0,n1}', now());"
        "INSERT INTO wait_reasons VALUES ('default', 3, 'needs 1 × (1 cpu)',"
        "  now(), 'order');"
        "INSERT INTO estimates (group_id, starts_at, approximate, rests_on,"
        "  made_at) VALUES (3, " +
        At(seconds(1'500)) + ", false, 'a/first ends as planned', now())");
    AddPod("f0", 2, "4");
    AddPod("f1", 2, "4");
    AddPod("k0", 3, "1");
  }

  void AddPod(const std::string& uid, int group, const std::string& cpu) {
    database_.Execute(
        "INSERT INTO pods (uid, group_id, namespace, pod_name, asked_name,"
        "  resource_version, created_at, request) VALUES ('" +
        uid + "', " + std::to_string(group) + ", 'a', '" + uid + "', '" + uid +
        "', '1', now(), '{\"resources\": {\"cpu\": \"" + cpu +
        "\", \"pods\": \"1\"}}')");
  }
};

}  // namespace fluxnetes::services

// A database for tests of commands: migrated, and configured for the program.
#pragma once

#include <gtest/gtest.h>

#include <sstream>

#include "services/console/time_text.h"
#include "tests/services/support/command_run.h"
#include "tests/support/postgres.h"

namespace fluxnetes::services {

class CommandDatabase : public ::testing::Test {
 protected:
  explicit CommandDatabase(bool migrated = true) : database_(migrated) {
    run_.Set("FLUXNETES_DATABASE", database_.options().connection);
    run_.Set("FLUXNETES_SCHEMA", database_.schema());
  }

  std::string At(std::chrono::seconds since_now) const {
    return "'" + Rfc3339(run_.now() + since_now) + "'";
  }

  // Adds at least one group in each state: ids 1 to 6.
  void AddExampleGroups() {
    using std::chrono::seconds;
    const std::string minute = At(seconds(-60));
    database_.Execute(
        "INSERT INTO pod_groups (id, namespace, group_name, group_size, queue,"
        "  priority, state, phase, reason, shape, duration_seconds,"
        "  submitted_at, promoted_at, allocated_at, bound_at) VALUES "
        "(1, 'a', 'runs', 2, 'default', 0, 'bound', NULL, NULL, 1, NULL, " +
        minute + "," + minute + "," + minute + "," + At(seconds(-30)) +
        "), (2, 'a', 'first', 8, 'default', 5, 'pending', 'reserved',"
        "  'waits for n1', 2, 60, " +
        minute + "," + minute +
        ", NULL, NULL), (3, 'b', 'second', 1, 'default', 0, 'pending',"
        "  'queued', NULL, 3, NULL, " +
        minute + "," + minute +
        ", NULL, NULL), (4, 'a', 'huge', 100, 'default', 9, 'unsatisfiable',"
        "  NULL, 'no node has 64 cpu', 4, NULL, " +
        minute + "," + minute + ", NULL, NULL)");
    database_.Execute(
        "INSERT INTO wait_reasons VALUES ('default', 3,"
        "  'needs 1 cpu; none is free', " +
        minute +
        ", 'room');"
        "INSERT INTO reservations VALUES (2, 'default', 'reservation', " +
        At(seconds(300)) + ", '{n1}', " + minute + ")");
    AddPods(minute);
    AddNodes(minute);
    database_.Execute(
        "INSERT INTO groups_provisional VALUES ('a', 'fills', 5, 8, 'default',"
        "  2, " +
        minute +
        ");"
        "INSERT INTO group_history (group_id, namespace, group_name,"
        "  group_size, queue, priority, result, nodes, pods, submitted_at,"
        "  promoted_at, allocated_at, bound_at, ended_at) VALUES (6, 'b',"
        "  'over', 1, 'default', 0, 'failed', '{n1}',"
        "  '[{\"name\": \"over-0\", \"node\": \"n1\", \"state\": "
        "\"failed\"}]'," +
        minute + "," + minute + "," + At(seconds(-50)) + "," +
        At(seconds(-50)) + "," + At(seconds(-10)) + ")");
  }

  // Gives the pod u1 of a/runs two devices on n1, of four GPUs there, and
  // reserves one more for a/first.
  void AddDevices() {
    database_.Execute(R"(
        UPDATE nodes SET devices = '{"gpu.example.com": 4}'
          WHERE node_name = 'n1';
        UPDATE placements SET devices =
          '[{"claim":"gpus","request":"gpu","driver":"gpu.example.com",'
          '"pool":"n1","device":"gpu-3"},{"claim":"nic","request":"port",'
          '"driver":"nic.example.com","pool":"rack","device":"eth-1"},'
          '{"claim":"look","request":"all","driver":"gpu.example.com",'
          '"pool":"n1","device":"gpu-1","admin":true}]' WHERE pod_uid = 'u1';
        UPDATE reservations SET places = '{0, 0}', devices = ARRAY['',
          '[{"claim":"gpus","request":"gpu","driver":"gpu.example.com",'
          '"pool":"n1","device":"gpu-0"}]'])");
  }

  // Pods of another scheduler on n1 have gpu-2, and share the NIC with the
  // group.
  void AddUnmanagedDevices() {
    database_.Execute(R"(
        UPDATE nodes SET unmanaged_devices = '[
          {"namespace":"b","pod":"theirs","uid":"t","claim":"g","request":"gpu",
           "class":"gpu","driver":"gpu.example.com","pool":"n1",
           "device":"gpu-2"},
          {"namespace":"b","pod":"theirs","uid":"t","claim":"look",
           "request":"all","driver":"gpu.example.com","pool":"n1",
           "device":"gpu-1","admin":true},
          {"namespace":"b","pod":"beside","uid":"s","claim":"nic",
           "request":"port","driver":"nic.example.com","pool":"rack",
           "device":"eth-1","shared":"b/nic"}]' WHERE node_name = 'n1')");
  }

  // Returns some columns of a table, separated by single blanks.
  static std::string Columns(const std::string& table,
                             const std::vector<std::size_t>& wanted) {
    std::string text;
    std::istringstream lines(table);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream in(line);
      std::vector<std::string> words;
      for (std::string word; in >> word;) words.push_back(word);
      for (std::size_t i = 0; i < wanted.size(); ++i)
        text += (i == 0 ? "" : " ") +
                (wanted[i] < words.size() ? words[wanted[i]] : "?");
      text += "\n";
    }
    return text;
  }

  testing::TestDatabase database_;
  CommandRun run_;

 private:
  void AddPods(const std::string& at) {
    database_.Execute(
        "INSERT INTO pods (uid, group_id, namespace, pod_name, asked_name, "
        "state,"
        "  node_name, request, owner_kind, owner_name, resource_version,"
        "  created_at) VALUES "
        "('u1', 1, 'a', 'runs-0', 'runs', 'bound', 'n1', '{\"resources\": "
        "{\"cpu\":"
        "  \"1\"}}', 'Job', 'runs', '1', " +
        at +
        "), ('u2', 1, 'a', 'runs-1', 'runs', 'succeeded', 'n2', '{}', 'Job', "
        "'runs',"
        "  '1', " +
        at +
        "), ('u3', 2, 'a', 'first-0', 'first', 'waiting', NULL, '{}', NULL, "
        "NULL, "
        "'1', " +
        at +
        ");"
        "INSERT INTO allocations VALUES (1, 1, 'default', '{n1,n2}', " +
        at +
        ", NULL, 1);"
        "INSERT INTO placements VALUES (1, 'u1', 'n1', 2000, 1073741824,"
        "  '{\"gpu\": 1}', NULL);"
        "INSERT INTO pods_provisional (uid, namespace, pod_name, group_name,"
        "  group_size, queue, request, resource_version, refused, created_at)"
        "  VALUES ('v1', 'a', 'fills-0', 'fills', 8, 'default', '{}', '1',"
        "  NULL, " +
        at +
        "), ('v2', 'a', 'fills-1', 'fills', 9, 'default', '{}', '1',"
        "  'group-size 9, the others say 8', " +
        at + ")");
  }

  void AddNodes(const std::string& at) {
    database_.Execute(
        "INSERT INTO nodes VALUES "
        "('n1', 4000, 8589934592, 110, '{\"gpu\": 2}', 1500, 1073741824, 2,"
        "  NULL, '{\"topology.kubernetes.io/zone\": \"z1\"}', " +
        at +
        "), ('n2', 4000, 8589934592, 110, '{}', 0, 0, 0, 'cordoned', '{}', " +
        at + ")");
  }
};

}  // namespace fluxnetes::services

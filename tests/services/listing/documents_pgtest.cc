// Checks that the fields of `-o json` stay: docs/commands.md says that no
// field is renamed or removed. `get groups` has its own test with all values.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/services/support/command_database.h"

namespace fluxnetes::services {
namespace {

using Json = nlohmann::json;

class Documents : public CommandDatabase {
 protected:
  Documents() {
    AddExampleGroups();
    run_("account create physics namespace=a quota=cpu=75");
    run_("drain n1 --from +2h --until +6h");
    database_.Execute(
        "INSERT INTO jobs (kind, queue) VALUES ('bind', 'bind');"
        "UPDATE pods SET request = '{\"resources\": {\"cpu\": \"1\"}}'");
  }

  // Returns the fields that the document lacks: "name", "cpuMilli.granted";
  // "items.name" for the first of a list.
  std::string Missing(const std::string& command, const std::string& fields) {
    EXPECT_EQ(run_(command + " -o json"), ExitCode::kOk) << run_.err();
    const Json document = Json::parse(run_.out());
    std::istringstream names(fields);
    std::string missing;
    for (std::string name; names >> name;) {
      std::istringstream parts(name);
      const Json* at = &document;
      for (std::string part; at != nullptr && std::getline(parts, part, '.');) {
        if (at->is_array() && !at->empty()) at = &at->front();
        at = at->is_object() && at->contains(part) ? &at->at(part) : nullptr;
      }
      if (at == nullptr) missing += " " + name;
    }
    return missing;
  }
};

TEST_F(Documents, OfNodesQueuesAndAccountsKeepTheirFields) {
  EXPECT_EQ(
      Missing(
          "get nodes",
          "kind items.name items.unschedulable items.maintenance.from "
          "items.maintenance.until items.maintenance.reason items.zone "
          "items.rack items.cpuMilli.allocatable items.cpuMilli.unmanaged "
          "items.cpuMilli.granted items.memoryBytes.allocatable "
          "items.pods.granted items.other items.grantedOther "
          "items.devices items.heldDevices items.unmanagedDevices items.labels "
          "items.seenAt"),
      "");
  EXPECT_EQ(
      Missing("get queues",
              "kind items.name items.paused items.queuePolicy items.queueOrder "
              "items.ageing items.halfLifeSeconds items.matchPolicy "
              "items.nodeSelector items.queueDepth items.reservationDepth "
              "items.assumedDurationSeconds items.deadlineAction "
              "items.bindTimeoutSeconds items.replacementHoldSeconds "
              "items.preemption items.groups.provisional items.groups.pending "
              "items.groups.unsatisfiable items.groups.allocated "
              "items.groups.bound items.oldestPending"),
      "");
  EXPECT_EQ(Missing("get accounts",
                    "kind items.name items.parent items.label items.namespace "
                    "items.queue items.weight items.quota.cpu items.borrows "
                    "items.holds.cpuMilli items.holds.memoryBytes "
                    "items.holds.pods items.holds.other items.pending"),
            "");
}

TEST_F(Documents, OfMaintenanceJobsAndChecksKeepTheirFields) {
  EXPECT_EQ(
      Missing("get maintenance",
              "kind items.id items.nodes items.nodeSelector items.from "
              "items.until items.reason items.knownNodes items.groupsInTheWay "
              "items.madeAt"),
      "");
  EXPECT_EQ(
      Missing("get jobs",
              "kind items.id items.kind items.queue items.state items.priority "
              "items.attempt items.maxAttempts items.client items.clientName "
              "items.args items.error items.errors items.tags items.metadata "
              "items.createdAt items.scheduledAt items.attemptedAt "
              "items.finalizedAt items.cancelRequestedAt"),
      "");
  EXPECT_EQ(
      Missing(
          "jobs stats",
          "kind windowSeconds items.queue items.paused items.available "
          "items.scheduled items.retryable items.pending items.running "
          "items.oldestAvailableSeconds items.completed items.cancelled "
          "items.discarded items.perSecond items.waitSeconds items.runSeconds"),
      "");
  EXPECT_EQ(Missing("migrate status",
                    "kind items.version items.name "
                    "items.state items.appliedAt"),
            "");
  EXPECT_EQ(Missing("version", "version schema compiler"), "");
}

TEST_F(Documents, OfWhatRunsWaitsAndIsOverKeepTheirFields) {
  EXPECT_EQ(
      Missing("history -A",
              "kind since results.failed.groups results.failed.pods "
              "waitSeconds.p50 waitSeconds.p95 waitSeconds.max runSeconds.p50 "
              "runSeconds.p95 runSeconds.max more items.name items.result "
              "items.reason items.waitSeconds items.runSeconds items.endedAt"),
      "");
  EXPECT_EQ(Missing("timeline",
                    "kind now until groups.kind groups.start groups.end "
                    "groups.nodes maintenance.node maintenance.start "
                    "maintenance.end maintenance.reason"),
            "");
  EXPECT_EQ(Missing("top nodes",
                    "kind items.name items.unschedulable items.cpuMilli.used "
                    "items.cpuMilli.allocatable items.memoryBytes.used "
                    "items.pods.used items.groups"),
            "");
  EXPECT_EQ(Missing("describe group a/first",
                    "kind namespace name id state phase reason topology "
                    "members.name members.state members.node members.needs "
                    "members.owner members.note members.createdAt "
                    "members.boundAt members.endedAt jobs earlier"),
            "");
  EXPECT_EQ(Missing("explain group a/first",
                    "kind summary group.name before.groups before.first "
                    "holders.groups holders.endless holders.firstToEnd nodes "
                    "help.changes help.unknown help.complete"),
            "");
}

}  // namespace
}  // namespace fluxnetes::services

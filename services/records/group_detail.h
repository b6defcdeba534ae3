// One group with its pods, its jobs and the earlier groups of its name.
//
// Reads only. Throws sql::Error.
// Tests: tests/services/explain/describe_pgtest.cc.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cluster/objects/pod_request.h"
#include "services/records/group_list.h"
#include "services/records/group_name.h"
#include "sql/connection/transaction.h"

namespace fluxnetes::services {

struct MemberRow {
  std::string name;
  std::string state;  // arrived, gated, refused, waiting, bound, succeeded, ...
  std::optional<std::string> node;
  std::string needs;                 // "2 cpu, 4Gi"; empty if no longer known
  std::optional<std::string> owner;  // "Job/train"
  std::optional<std::string> note;   // why it is refused; "replaced"
  // What it has of its node: "socket0/numa1/core[0-7]"; none: amounts alone.
  std::optional<std::string> inside;
  // The devices of its claims (matcher/devices/devices_text.h); none: it has
  // none.
  std::optional<std::string> devices;
  std::optional<sql::Timestamp> created_at;
  std::optional<sql::Timestamp> bound_at;
  std::optional<sql::Timestamp> ended_at;
};

struct GroupJobRow {
  std::int64_t id = 0;
  std::string kind;
  std::string queue;
  std::string state;
  int attempt = 0;
  int max_attempts = 0;
  std::optional<std::string> error;
};

struct Generation {
  std::int64_t id = 0;
  std::string state;  // or result
  std::optional<sql::Timestamp> ended_at;
};

struct GroupDetail {
  GroupRow group;
  std::vector<MemberRow> members;
  cluster::GroupTopology topology;  // of an unfinished group
  std::vector<GroupJobRow> jobs;    // live ones
  std::vector<Generation> earlier;  // newest first, at most nine
};

// Returns the group of this `generation`, or without one the unfinished group
// of the name, else the one that finished last; nullopt if there is none.
std::optional<GroupDetail> ReadGroup(sql::Transaction& transaction,
                                     const std::string& namespace_name,
                                     const std::string& name,
                                     std::optional<std::int64_t> generation);

// As ReadGroup(), but throws Failure (kNotFound) if there is none.
GroupDetail RequireGroup(sql::Transaction& transaction, const GroupName& name,
                         std::optional<std::int64_t> generation);

}  // namespace fluxnetes::services

// What runs, what is reserved and what is foreseen, from now on: groups with
// the time that they have or will have, nodes, and their maintenance. In parts,
// or whole.
//
// Reads only. Throws sql::Error.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "services/records/group_name.h"
#include "sql/connection/transaction.h"

namespace fluxnetes::services {

// A group on the way of time.
struct Span {
  std::string kind;  // running, reserved, draining (its nodes are kept free),
                     // forecast, approximate
  int stage = 0;     // they come in the order of this, start and id
  std::int64_t id = 0;
  GroupName group;
  std::string queue;
  int size = 0;
  std::vector<std::string> nodes;       // empty: not known yet
  std::optional<sql::Timestamp> start;  // nothing: of a draining one
  std::optional<sql::Timestamp> end;    // nothing: it has none, or no start
};

// Of running groups, by id and node.
using CpuOfSpans = std::map<std::pair<std::int64_t, std::string>, std::int64_t>;

struct Timeline {
  struct Node {
    std::string name;
    std::int64_t cpu_milli = 0;
    std::int64_t foreign_cpu_milli = 0;
  };
  struct Maintenance {
    std::string node;
    sql::Timestamp start;
    std::optional<sql::Timestamp> end;
    std::optional<std::string> reason;
  };
  std::vector<Span> spans;  // running ones first, each kind by its start
  std::vector<Node> nodes;  // in order of name
  std::vector<Maintenance> maintenance;
  CpuOfSpans cpu_milli;
};

struct TimelineFilter {
  // Of a span; the next ones come behind it.
  struct Place {
    int stage = 0;
    std::optional<sql::Timestamp> start;
    std::int64_t id = 0;
  };

  std::optional<std::string> namespace_name;
  std::optional<std::string> queue;
  std::optional<sql::Timestamp> until = {};  // without what starts later
  std::optional<Place> after = {};
  std::optional<std::int64_t> limit = {};
};

std::vector<Span> ReadSpans(sql::Transaction& transaction,
                            const TimelineFilter& filter);
// What is not over at `now`.
std::vector<Timeline::Maintenance> ReadSpanMaintenance(
    sql::Transaction& transaction, sql::Timestamp now);
// Of these groups, or of all.
CpuOfSpans ReadSpanCpu(sql::Transaction& transaction,
                       const std::optional<std::vector<std::int64_t>>& groups);

Timeline ReadTimeline(sql::Transaction& transaction,
                      const TimelineFilter& filter, sql::Timestamp now);

}  // namespace fluxnetes::services

// What runs, what is reserved and what is foreseen, from now on: groups with
// the time that they have or will have, nodes, and their maintenance.
//
// Reads only. Throws sql::Error.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sql/transaction.h"

namespace fluxnetes::services {

// A group on the way of time.
struct Span {
  std::string kind;  // running, reserved, draining (its nodes are kept free),
                     // forecast, approximate
  std::int64_t id = 0;
  std::string name;  // "namespace/name"
  std::string queue;
  int size = 0;
  std::vector<std::string> nodes;       // empty: not known yet
  std::optional<sql::Timestamp> start;  // nothing: of a draining one
  std::optional<sql::Timestamp> end;    // nothing: it has none, or no start
};

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
  // Of running groups, by id and node.
  std::map<std::pair<std::int64_t, std::string>, std::int64_t> cpu_milli;
};

struct TimelineFilter {
  std::optional<std::string> namespace_name;
  std::optional<std::string> queue;
};

Timeline ReadTimeline(sql::Transaction& transaction,
                      const TimelineFilter& filter, sql::Timestamp now);

}  // namespace fluxnetes::services

// Running groups, reservations and forecasts from now on: groups with their
// present or future times, nodes, and node maintenance; read in pages or whole.
//
// Reads only. Throws sql::Error.
// Tests: tests/services/records/views_pgtest.cc,
// tests/services/grpc_v1/grpc_timeline_pgtest.cc.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "cluster/objects/pod_request.h"
#include "services/records/group_name.h"
#include "sql/connection/transaction.h"

namespace fluxnetes::services {

// A group's interval of time.
struct Span {
  // One of running, reserved, draining (a drain set), forecast, approximate.
  std::string kind;
  int stage = 0;  // spans are sorted by this, start and id
  std::int64_t id = 0;
  GroupName group;
  std::string queue;
  int size = 0;
  cluster::PoolAmounts pools;           // that it holds then
  std::vector<std::string> nodes;       // empty: not known yet
  std::optional<sql::Timestamp> start;  // nullopt for draining
  std::optional<sql::Timestamp> end;    // nullopt: no end, or no start
};

// Of running groups, by id and node.
using CpuOfSpans = std::map<std::pair<std::int64_t, std::string>, std::int64_t>;

// What the pods of a span have of a node besides amounts, or are to have.
struct SpanInside {
  std::vector<std::string> parts;    // of each pod: "socket0/core[0-7]"
  std::vector<std::string> devices;  // of claims: "driver/pool/device"
};
// By the stage and id of the span, and node; only where there is anything.
using InsideOfSpans =
    std::map<std::tuple<int, std::int64_t, std::string>, SpanInside>;

struct Timeline {
  struct Node {
    std::string name;
    std::int64_t cpu_milli = 0;
    std::int64_t unmanaged_cpu_milli = 0;
  };
  struct Maintenance {
    std::string node;
    sql::Timestamp start;
    std::optional<sql::Timestamp> end;
    std::optional<std::string> reason;
  };
  std::vector<Span> spans;  // running ones first, each kind by start
  std::vector<Node> nodes;  // by name
  std::vector<Maintenance> maintenance;
  CpuOfSpans cpu_milli;
  InsideOfSpans inside;
};

struct TimelineFilter {
  // The position of a span; a page continues after it.
  struct Place {
    int stage = 0;
    std::optional<sql::Timestamp> start;
    std::int64_t id = 0;
  };

  std::optional<std::string> namespace_name;
  std::optional<std::string> queue;
  std::optional<std::int64_t> group = {};  // its id
  // Leaves out spans that start later.
  std::optional<sql::Timestamp> until = {};
  std::optional<Place> after = {};
  std::optional<std::int64_t> limit = {};
};

std::vector<Span> ReadSpans(sql::Transaction& transaction,
                            const TimelineFilter& filter);
// The spans of a chart of all groups: of a namespace and a queue, without
// pools, running ones first, at most `limit`.
std::vector<Span> ReadChartSpans(
    sql::Transaction& transaction,
    const std::optional<std::string>& namespace_name,
    const std::optional<std::string>& queue, std::int64_t limit);
// Returns the maintenance that is not over at `now`.
std::vector<Timeline::Maintenance> ReadSpanMaintenance(
    sql::Transaction& transaction, sql::Timestamp now);
// Reads these groups, or all if nullopt.
CpuOfSpans ReadSpanCpu(sql::Transaction& transaction,
                       const std::optional<std::vector<std::int64_t>>& groups);
InsideOfSpans ReadSpanInside(
    sql::Transaction& transaction,
    const std::optional<std::vector<std::int64_t>>& groups);

Timeline ReadTimeline(sql::Transaction& transaction,
                      const TimelineFilter& filter, sql::Timestamp now);

}  // namespace fluxnetes::services

// A span in OpenTelemetry's sense: a part of the course of a group with a
// beginning and an end. A plain value.
// Tests: tests/services/monitoring/span_exporter_test.cc,
// tests/services/monitoring/decision_log_pgtest.cc.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sql/values/parameter.h"

namespace fluxnetes::services {

struct TraceSpan {
  std::string trace_id;   // 32 hexadecimal digits
  std::string span_id;    // 16
  std::string parent_id;  // 16
  std::string name;       // "schedule"
  sql::Timestamp begin;
  sql::Timestamp end;
  std::vector<std::pair<std::string, std::string>> attributes;
  bool operator==(const TraceSpan&) const = default;
};

}  // namespace fluxnetes::services

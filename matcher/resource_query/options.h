// The command line of resource-query.
// Tests: tests/matcher/resource_query/options_test.cc.
#pragma once

#include <set>
#include <string>
#include <variant>

#include "matcher/graph/resource_graph.h"
#include "matcher/policy.h"
#include "matcher/writers/match_writer.h"

namespace fluxnetes::matcher {

struct QueryOptions {
  std::string load_file = "conf/default";
  std::string load_format = "grug";
  std::set<std::string> allow_list;       // empty: all types
  std::string subsystem = "containment";  // the dominant one
  Policy policy;
  bool flexible = false;
  MatchFormat format = MatchFormat::kSimple;
  std::string prune_filters = "ALL:core,ALL:node";
  std::string output;                // a file; empty: standard output
  std::string graph_format = "dot";  // or "graphml"
  std::string graph_output;          // a file without .dot; empty: none
  bool times = false;                // print how long things take
  bool sort_equals = false;          // among more than 1,024 candidates too
};

// Ends the program at once: the text for standard error, and the exit code.
struct QueryEnd {
  std::string text;
  int code = 0;
};

std::variant<QueryOptions, QueryEnd> ParseQueryOptions(int argc, char** argv);

}  // namespace fluxnetes::matcher

#include "matcher/resource_query/options.h"

#include <fmt/format.h>
#include <getopt.h>

#include <array>
#include <filesystem>
#include <map>
#include <utility>

namespace fluxnetes::matcher {
namespace {

constexpr std::string_view kUsage =
    R"(usage: resource-query [OPTIONS...]

Loads a resource graph, then reads commands, a line each, from standard input.
`help` lists them.

  -h, --help                     this text
  -L, --load-file=FILE           the graph (conf/default)
  -f, --load-format=FORMAT       grug (default), hwloc, jgf, jgf_shorthand,
                                 rv1exec, rv1exec_force
  -W, --load-allowlist=TYPES     load only these, of hwloc: node,core,gpu
  -S, --match-subsystems=CODE    CA (default: containment), IBA, IBBA, PFS1BA,
                                 PA, C+IBA, C+IBBA, C+PFS1BA, C+PA, IB+IBBA,
                                 C+P+IBA, VA, V+PFS1BA, ALL; the first named
                                 is the one that is matched on
  -P, --match-policy=POLICY      first (default), firstnodex, high, low, hinode,
                                 lonode, hinodex, lonodex, locality, variation,
                                 or of parts: "policy=high node_centric=true
                                 node_exclusive=true stop_on_1_matches=true"
  -T, --traverser-policy=POLICY  simple (default), flexible
  -F, --match-format=FORMAT      simple (default), pretty_simple, jgf,
                                 jgf_shorthand, rlite, rv1, rv1_nosched,
                                 rv1_shorthand
  -p, --prune-filters=SPEC       HIGH:LOW[,HIGH:LOW...]; HIGH may be ALL
                                 (ALL:core,ALL:node)
      --equals=ORDER             equal candidates among more than 1,024 of a type:
                                 found (default: as they were found), sort (as
                                 std::sort leaves them, which Fluxion does)
  -t, --test-output=FILE         write results there, not to standard output
  -r, --reserve-vtx-vec=N        0 to 2000000; accepted, needs nothing
  -e, --elapse-time              say how long things take
  -d, --disable-prompt           no prompt
  -g, --graph-format=FORMAT      dot (default), graphml
  -o, --graph-output=BASENAME    write the graph to BASENAME.FORMAT at the end
)";

constexpr int kEquals = 256;  // has no short form

constexpr std::array<option, 17> kOptions{{
    {"help", no_argument, nullptr, 'h'},
    {"load-file", required_argument, nullptr, 'L'},
    {"load-format", required_argument, nullptr, 'f'},
    {"load-allowlist", required_argument, nullptr, 'W'},
    {"match-subsystems", required_argument, nullptr, 'S'},
    {"match-policy", required_argument, nullptr, 'P'},
    {"traverser-policy", required_argument, nullptr, 'T'},
    {"match-format", required_argument, nullptr, 'F'},
    {"prune-filters", required_argument, nullptr, 'p'},
    {"equals", required_argument, nullptr, kEquals},
    {"test-output", required_argument, nullptr, 't'},
    {"reserve-vtx-vec", required_argument, nullptr, 'r'},
    {"elapse-time", no_argument, nullptr, 'e'},
    {"disable-prompt", no_argument, nullptr, 'd'},
    {"graph-format", required_argument, nullptr, 'g'},
    {"graph-output", required_argument, nullptr, 'o'},
    {nullptr, 0, nullptr, 0},
}};

const std::set<std::string> kLoadFormats = {
    "grug", "hwloc", "jgf", "jgf_shorthand", "rv1exec", "rv1exec_force"};

// The first subsystem that a code names.
const std::map<std::string, std::string> kSubsystems = {
    {"CA", "containment"},
    {"IBA", "ibnet"},
    {"IBBA", "ibnetbw"},
    {"PFS1BA", "pfs1bw"},
    {"PA", "power"},
    {"C+IBA", "containment"},
    {"C+IBBA", "containment"},
    {"C+PFS1BA", "containment"},
    {"C+PA", "containment"},
    {"IB+IBBA", "ibnet"},
    {"C+P+IBA", "containment"},
    {"VA", "virtual1"},
    {"V+PFS1BA", "virtual1"},
    {"ALL", "containment"},
};

QueryEnd Refuse(std::string_view what, std::string_view option,
                std::string_view value) {
  return {
      fmt::format("[ERROR] {} for --{}: {}\n{}", what, option, value, kUsage),
      1};
}

// Sets one option after the other. Set() returns an error, or nothing.
class Setter {
 public:
  std::optional<QueryEnd> Set(int option, const std::string& value);
  QueryOptions Take() {
    if (!filters_.empty()) options_.prune_filters = filters_;
    if (filters_given_ && filters_.empty()) options_.prune_filters.clear();
    return std::move(options_);
  }

 private:
  std::optional<QueryEnd> SetMatch(int option, const std::string& value);
  void Allow(const std::string& types);

  QueryOptions options_;
  std::string filters_;
  bool filters_given_ = false;
};

void Setter::Allow(const std::string& types) {
  options_.allow_list.insert("cluster");
  for (std::size_t begin = 0; begin <= types.size();) {
    const std::size_t end = std::min(types.find(',', begin), types.size());
    if (end > begin) {
      options_.allow_list.insert(types.substr(begin, end - begin));
    }
    begin = end + 1;
  }
}

std::optional<QueryEnd> Setter::SetMatch(int option, const std::string& value) {
  if (option == 'S') {
    std::string code = value;
    for (char& c : code) c = static_cast<char>(std::toupper(c));
    const auto found = kSubsystems.find(code);
    if (found == kSubsystems.end()) {
      return Refuse("unknown subsystems", "match-subsystems", value);
    }
    options_.subsystem = found->second;
  } else if (option == 'P') {
    const auto policy = ParsePolicy(value);
    if (!policy) {
      return QueryEnd{
          ": Runtime error: resource_query_t: ERROR: can't create "
          "matcher\n",
          1};
    }
    options_.policy = *policy;
  } else if (option == 'T') {
    if (value != "simple" && value != "flexible") {
      return Refuse("unknown policy", "traverser-policy", value);
    }
    options_.flexible = value == "flexible";
  } else if (option == 'F') {
    const auto format = ParseMatchFormat(value);
    if (!format) return Refuse("unknown format", "match-format", value);
    options_.format = *format;
  } else {
    filters_given_ = true;
    if (!filters_.empty() && !value.empty()) filters_ += ',';
    filters_ += value;
  }
  return std::nullopt;
}

std::optional<QueryEnd> Setter::Set(int option, const std::string& value) {
  switch (option) {
    case 'L':
      if (!std::filesystem::is_regular_file(value)) {
        return Refuse("file does not exist", "load-file", value);
      }
      options_.load_file = value;
      break;
    case 'f':
      if (!kLoadFormats.contains(value)) {
        return Refuse("unknown format", "load-format", value);
      }
      options_.load_format = value;
      break;
    case 'W':
      Allow(value);
      break;
    case 't':
      options_.output = value;
      break;
    case 'e':
      options_.times = true;
      break;
    case 'g':
      if (value != "dot" && value != "graphml") {
        return Refuse("unknown format", "graph-format", value);
      }
      options_.graph_format = value;
      break;
    case 'o':
      options_.graph_output = value;
      break;
    case kEquals:
      if (value != "found" && value != "sort") {
        return Refuse("unknown order", "equals", value);
      }
      options_.sort_equals = value == "sort";
      break;
    case 'd':
    case 'r':
      break;
    default:
      return SetMatch(option, value);
  }
  return std::nullopt;
}

}  // namespace

std::variant<QueryOptions, QueryEnd> ParseQueryOptions(int argc, char** argv) {
  Setter setter;
  setter.Set('P', "first");
  optind = 1;
  int option = 0;
  while ((option = getopt_long(argc, argv, "hL:f:W:S:P:T:F:p:t:r:edg:o:",
                               kOptions.data(), nullptr)) != -1) {
    if (option == 'h') return QueryEnd{std::string(kUsage), 0};
    if (option == '?') return QueryEnd{std::string(kUsage), 1};
    auto end = setter.Set(option, optarg == nullptr ? "" : optarg);
    if (end) return *std::move(end);
  }
  if (optind != argc) return QueryEnd{std::string(kUsage), 1};
  return setter.Take();
}

}  // namespace fluxnetes::matcher

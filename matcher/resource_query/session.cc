#include "matcher/resource_query/session.h"

#include <algorithm>
#include <charconv>
#include <ostream>

namespace fluxnetes::matcher {
namespace {

constexpr std::string_view kSpace = " \t\r\v\f\n";

Session::Words WordsOf(std::string_view line) {
  Session::Words words;
  for (std::size_t at = line.find_first_not_of(kSpace);
       at != std::string_view::npos;) {
    const std::size_t end =
        std::min(line.find_first_of(kSpace, at), line.size());
    words.emplace_back(line.substr(at, end - at));
    at = line.find_first_not_of(kSpace, end);
  }
  return words;
}

}  // namespace

Session::Session(Matcher matcher, const QueryOptions& options, Streams streams)
    : matcher_(std::move(matcher)), options_(options), streams_(streams) {}

const std::vector<Session::Command>& Session::Commands() {
  static const std::vector<Command> kCommands = {
      {"match", "m",
       "match allocate|allocate_with_satisfiability|allocate_orelse_reserve|"
       "satisfiability|without_allocating|without_allocating_future JOBSPEC",
       &Session::RunMatch},
      {"multi-match", "M", "multi-match SUBCOMMAND JOBSPEC JOBSPEC...",
       &Session::RunMultiMatch},
      {"update", "u",
       "update allocate|reserve jgf|jgf_shorthand|rv1exec R JOBID START "
       "DURATION",
       &Session::RunUpdate},
      {"attach", "j", "attach JGF", &Session::RunAttach},
      {"remove", "", "remove PATH true | remove RANKS false",
       &Session::RunRemove},
      {"find", "f",
       "find EXPRESSION: status=up|down sched-now=allocated|free "
       "sched-future=reserved|free agfilter=true|false names=HOSTLIST "
       "jobid-alloc|jobid-reserved|jobid-span|jobid-tag=ID property=NAME, "
       "joined by and, or, ( )",
       &Session::RunFind},
      {"cancel", "c", "cancel JOBID [stats]", &Session::RunCancel},
      {"partial-cancel", "pc", "partial-cancel JOBID jgf|rv1exec R [stats]",
       &Session::RunPartialCancel},
      {"set-property", "p", "set-property PATH KEY=VALUE",
       &Session::RunSetProperty},
      {"get-property", "g", "get-property PATH", &Session::RunGetProperty},
      {"set-status", "t", "set-status PATH up|down", &Session::RunSetStatus},
      {"get-status", "e", "get-status PATH", &Session::RunGetStatus},
      {"list", "l", "list", &Session::RunList},
      {"info", "i", "info JOBID", &Session::RunInfo},
      {"stat", "s", "stat", &Session::RunStat},
      {"picture", "",
       "picture FILE: jobs on nodes over time, a page of HTML (not in Fluxion)",
       &Session::RunPicture},
      {"cat", "a", "cat FILE", &Session::RunCat},
      {"help", "h", "help [COMMAND]", &Session::RunHelp},
      {"quit", "q", "quit", nullptr},
  };
  return kCommands;
}

const Session::Command* Session::FindCommand(std::string_view name) {
  for (const Command& command : Commands()) {
    if (name == command.name || name == command.abbreviation) return &command;
  }
  return nullptr;
}

bool Session::Run(const std::string& line) {
  const Words words = WordsOf(line);
  if (words.empty()) return true;
  const Command* command = FindCommand(words[0]);
  if (command == nullptr) return true;
  if (command->run == nullptr) return false;
  (this->*command->run)(words);
  return true;
}

void Session::SayLoaded(double seconds) {
  const ResourceGraph& graph = matcher_.graph();
  std::ostream& out = streams_.standard;
  std::vector<char> names(graph.names().size());
  std::vector<char> types(graph.type_names().size());
  std::size_t paths = 0;
  for (VertexIndex v = 0; v < graph.size(); ++v) {
    names[graph.name(v)] = 1;
    types[graph.type(v)] = 1;
    for (SubsystemId s = 0; s < graph.subsystems().size(); ++s) {
      paths += graph.HasPath(v, s) ? 1 : 0;
    }
  }
  const auto count = [](const std::vector<char>& of) {
    return std::count(of.begin(), of.end(), 1);
  };
  out << "INFO: Graph Load Time: " << seconds << '\n'
      << "INFO: Vertex Count: " << graph.size() << '\n'
      << "INFO: Edge Count: " << graph.edges() << '\n'
      << "INFO: by_type Key-Value Pairs: " << count(types) << '\n'
      << "INFO: by_name Key-Value Pairs: " << count(names) << '\n'
      << "INFO: by_path Key-Value Pairs: " << paths << '\n';
  const auto say = [&](std::int64_t rank, std::size_t vertices) {
    out << "INFO: number of vertices with rank " << rank << ": " << vertices
        << '\n';
  };
  if (graph.unranked() > 0) say(-1, graph.unranked());
  for (const auto& [rank, on_rank] : graph.ranks()) say(rank, on_rank.size());
}

void Session::SayMalformed() {
  streams_.errors << "ERROR: malformed command\n";
}

bool Session::ParseJob(const std::string& word, JobId& job) {
  const char* end = word.data() + word.size();
  const auto [at, error] = std::from_chars(word.data(), end, job);
  if (error == std::errc() && at == end && job >= 0) return true;
  streams_.errors << "ERROR: " << word << " is not a job id\n";
  return false;
}

// Accepts a command of `plain` words, or one more: `stats`.
bool Session::CheckStats(const Words& words, std::size_t plain, bool& stats) {
  stats = words.size() == plain + 1 && words[plain] == "stats";
  if (words.size() == plain || stats) return true;
  SayMalformed();
  return false;
}

void Session::SayCounts(const char* what, std::int64_t visited,
                        std::int64_t released) {
  streams_.results << kBar << "INFO: " << what << " PREORDER COUNT=\""
                   << visited << "\"\n"
                   << "INFO: " << what << " POSTORDER COUNT=\"" << released
                   << "\"\n"
                   << kBar;
}

}  // namespace fluxnetes::matcher

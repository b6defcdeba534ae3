#include <fmt/format.h>

#include <chrono>
#include <map>
#include <ostream>

#include "matcher/graph/text_sets.h"
#include "matcher/jobspec/jobspec.h"
#include "matcher/resource_query/loader.h"
#include "matcher/resource_query/session.h"
#include "matcher/writers/match_writer.h"

namespace fluxnetes::matcher {
namespace {

const std::map<std::string, MatchOp> kOps = {
    {"allocate", MatchOp::kAllocate},
    {"allocate_with_satisfiability", MatchOp::kAllocateWithSatisfiability},
    {"allocate_orelse_reserve", MatchOp::kAllocateOrElseReserve},
    {"satisfiability", MatchOp::kSatisfiability},
    {"without_allocating", MatchOp::kWithoutAllocating},
    {"without_allocating_future", MatchOp::kWithoutAllocatingFuture},
};

// A match that starts now is called allocated, even if a reservation was
// requested.
const char* StateOf(const Match& match) {
  if (match.outcome == MatchOutcome::kMatched) return "MATCHED";
  return match.at == 0 ? "ALLOCATED" : kReserved;
}

// True if a match takes a job number even if it finds nothing.
bool Counts(MatchOp op) {
  return op == MatchOp::kAllocate ||
         op == MatchOp::kAllocateWithSatisfiability ||
         op == MatchOp::kAllocateOrElseReserve;
}

}  // namespace

void Session::RunMatch(const Words& words) {
  if (words.size() != 3) return SayMalformed();
  const auto op = kOps.find(words[1]);
  if (op == kOps.end()) {
    streams_.errors << "ERROR: unknown subcmd " << words[1] << '\n';
    return;
  }
  MatchOne(op->second, words[2]);
}

void Session::RunMultiMatch(const Words& words) {
  if (words.size() < 4) return SayMalformed();
  const auto op = kOps.find(words[1]);
  if (op == kOps.end()) {
    streams_.errors << "ERROR: unknown subcmd " << words[1] << '\n';
    return;
  }
  for (std::size_t i = 2; i < words.size(); ++i) {
    if (!MatchOne(op->second, words[i])) return;
  }
}

bool Session::MatchOne(MatchOp op, const std::string& path) {
  const auto text = ReadFile(path);
  if (!text) {
    streams_.errors << "ERROR: can't open " << path << '\n';
    return false;
  }
  const auto started = std::chrono::steady_clock::now();
  const JobId job = next_job_;
  bool in_use = false;  // the number, by a restored job
  Match match;
  std::string queue;
  try {
    const Jobspec& jobspec = jobspecs_.Read(*text);
    queue = jobspec.queue;
    in_use = matcher_.Known(job);
    match = matcher_.Run(job, jobspec, op, 0);
  } catch (const JobspecError& error) {
    match.outcome = MatchOutcome::kInvalid;
    match.error = error.what();
  }
  const std::chrono::duration<double> took =
      std::chrono::steady_clock::now() - started;
  if (match.outcome == MatchOutcome::kInvalid) {
    streams_.errors << "match_allocate: ERROR: Jobspec error for " << job
                    << ": " << match.error << '\n';
  }
  if (match.outcome != MatchOutcome::kInvalid && !Write(match, queue)) {
    if (match.found() && Counts(op)) matcher_.Cancel(job);
    match.outcome = MatchOutcome::kInvalid;
  }
  if (op == MatchOp::kSatisfiability) {
    SaySatisfiability(match, took.count());
    return match.outcome == MatchOutcome::kSatisfiable;
  }
  if (Counts(op) && (in_use || match.outcome != MatchOutcome::kInvalid)) {
    ++next_job_;
  }
  if (!match.found()) {
    SayNotFound(match, job, took.count());
    return false;
  }
  SayFound(match, job, took.count());
  CountTime(took.count());
  if (Counts(op)) {
    jobs_[job] = {StateOf(match), match.at, path, took.count(), match.duration};
  }
  return true;
}

bool Session::Write(const Match& match, const std::string& queue) {
  const MatchText written =
      WriteMatch(options_.format, matcher_.graph(), match.taken,
                 {match.at, match.at + match.duration, queue});
  if (!written.error.empty()) {
    streams_.errors << "ERROR: match writer emit: " << written.error << '\n';
    return false;
  }
  streams_.results << written.text;
  return true;
}

void Session::SayCost(const Match& match, double seconds, std::ostream& out) {
  if (!options_.times) return;
  out << fmt::format("INFO: ELAPSE={:.6f}\n", seconds);
  std::string counts = "INFO: PREORDER VISIT COUNT=";
  AppendNumber(match.visits, counts);
  counts += "\nINFO: POSTORDER VISIT COUNT=";
  AppendNumber(match.finds, counts);
  counts += '\n';
  streams_.standard << counts;
}

// An outcome that is not known, as for a type that the graph does not know,
// counts as satisfiable, as in Fluxion.
void Session::SaySatisfiability(const Match& match, double seconds) {
  streams_.results << kBar
                   << (match.outcome == MatchOutcome::kUnsatisfiable
                           ? "INFO: Unsatisfiable request\n"
                           : "INFO: Satisfiable request\n")
                   << kBar;
  SayCost(match, seconds, streams_.standard);
}

void Session::SayFound(const Match& match, JobId job, double seconds) {
  std::string text(kBar);
  text += "INFO: JOBID=";
  AppendNumber(job, text);
  text += "\nINFO: RESOURCES=";
  text += StateOf(match);
  text += "\nINFO: SCHEDULED AT=";
  if (match.at == 0) {
    text += "Now";
  } else {
    AppendNumber(match.at, text);
  }
  text += '\n';
  streams_.results << text;
  SayCost(match, seconds, streams_.standard);
  streams_.results << kBar;
}

void Session::SayNotFound(const Match& match, JobId job, double seconds) {
  std::ostream& out = streams_.results;
  out << kBar << "INFO: No matching resources found\n";
  if (match.outcome == MatchOutcome::kUnsatisfiable) {
    out << "INFO: Unsatisfiable request\n";
  }
  out << "INFO: JOBID=" << job << '\n';
  SayCost(match, seconds, out);
  out << kBar;
}

}  // namespace fluxnetes::matcher

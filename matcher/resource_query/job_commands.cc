#include <algorithm>
#include <chrono>
#include <limits>
#include <ostream>

#include "matcher/readers/jgf.h"
#include "matcher/readers/rv1exec.h"
#include "matcher/resource_query/loader.h"
#include "matcher/resource_query/session.h"

namespace fluxnetes::matcher {
namespace {

HeldParts FindHeld(const std::string& format, const std::string& text,
                   const ResourceGraph& graph) {
  if (format == "rv1exec") return FindRv1exec(text, graph);
  return FindJgf(text, graph, format == "jgf_shorthand");
}

}  // namespace

void Session::RunUpdate(const Words& words) {
  if (words.size() != 7) return SayMalformed();
  if (words[1] != "allocate" && words[1] != "reserve") {
    streams_.errors << "ERROR: unknown subcmd " << words[1] << '\n';
    return;
  }
  const std::string& format = words[2];
  if (format != "jgf" && format != "jgf_shorthand" && format != "rv1exec") {
    streams_.errors << "ERROR: unsupported reader " << format << '\n';
    return;
  }
  JobId job = 0;
  Time at = 0;
  Time duration = 0;
  if (!ParseJob(words[4], job)) return;
  if (!ParseJob(words[5], at) || !ParseJob(words[6], duration) ||
      duration == 0) {
    streams_.errors << "ERROR: invalid time (" << words[5] << ", " << words[6]
                    << ")\n";
    return;
  }
  if (matcher_.Known(job) || job == std::numeric_limits<JobId>::max()) {
    streams_.errors << "ERROR: existing Jobid \n";
    return;
  }
  Restore(words, job, at, duration);
}

void Session::Restore(const Words& words, JobId job, Time at, Time duration) {
  const std::string& path = words[3];
  const auto text = ReadFile(path);
  if (!text) {
    streams_.errors << "ERROR: can't open " << path << '\n';
    return;
  }
  const auto started = std::chrono::steady_clock::now();
  Match match;
  match.outcome = MatchOutcome::kInvalid;
  try {
    match = matcher_.Restore(job, FindHeld(words[2], *text, matcher_.graph()),
                             /*reserved=*/false, at, duration);
  } catch (const GraphError& error) {
    match.error = error.what();
  }
  const std::chrono::duration<double> took =
      std::chrono::steady_clock::now() - started;
  if (match.found() && !Write(match, "")) {
    matcher_.Cancel(job);
    match.outcome = MatchOutcome::kInvalid;
  }
  next_job_ = job + 1;
  if (!match.found()) {
    streams_.errors << "ERROR: traverser run () returned error\nERROR: "
                    << match.error << '\n';
    SayNotFound(match, job, took.count());
    return;
  }
  SayFound(match, job, took.count());
  jobs_[job] = {at == 0 ? "ALLOCATED" : kReserved, at, path, took.count(),
                duration};
  CountTime(took.count());
}

void Session::CountTime(double seconds) {
  least_seconds_ = timed_ == 0 ? seconds : std::min(least_seconds_, seconds);
  most_seconds_ = std::max(most_seconds_, seconds);
  all_seconds_ += seconds;
  ++timed_;
}

std::int64_t Session::CountHeld(JobId job) const {
  std::int64_t count = 0;
  for (VertexIndex v = 0; v < matcher_.graph().size(); ++v) {
    const Matcher::Hold hold = matcher_.HoldOf(job, v);
    count += hold.tagged || hold.exclusive || hold.filtered ? 1 : 0;
  }
  return count;
}

void Session::RunCancel(const Words& words) {
  bool stats = false;
  JobId job = 0;
  if (words.size() < 2) return SayMalformed();
  if (!CheckStats(words, 2, stats) || !ParseJob(words[1], job)) return;
  const std::int64_t held = stats ? CountHeld(job) : 0;
  if (!matcher_.Cancel(job)) {
    streams_.errors << "cancel: ERROR: nonexistent job " << job << '\n';
    return;
  }
  jobs_[job].state = "CANCELED";
  if (stats) SayCounts("CANCEL", held, held);
}

// Releases what an R names. If that is refused, prints why.
Released Session::ReleaseHeld(const std::string& format,
                              const std::string& text, JobId job) {
  const auto known = jobs_.find(job);
  if (matcher_.Known(job) && known != jobs_.end() &&
      known->second.state == kReserved) {
    return Released::kReserved;
  }
  try {
    if (format == "rv1exec") {
      const std::vector<std::int64_t> ranks = RanksOfRv1exec(text);
      const Released released = matcher_.CancelRanks(job, ranks);
      if (released == Released::kNotHeld) SayRankNotHeld(ranks, job);
      return released;
    }
    std::vector<VertexIndex> vertices;
    for (const HeldPart& part : FindJgf(text, matcher_.graph(), false).parts) {
      vertices.push_back(part.vertex);
    }
    const Released released = matcher_.CancelVertices(job, vertices);
    if (released != Released::kNotHeld) return released;
  } catch (const GraphError& error) {
    streams_.errors << "ERROR: " << error.what() << '\n';
  }
  streams_.standard << "remove: partial_cancel returned error.\n";
  return Released::kNotHeld;
}

// Names the first rank of which the job holds nothing exclusively.
void Session::SayRankNotHeld(const std::vector<std::int64_t>& ranks,
                             JobId job) {
  for (const std::int64_t rank : ranks) {
    const auto& on_rank = matcher_.graph().OfRank(rank);
    if (on_rank.empty()) {
      streams_.standard << "remove" << rank << " not found in by_rank map.\n";
      return;
    }
    const auto held = [&](VertexIndex v) {
      return matcher_.HoldOf(job, v).exclusive;
    };
    if (std::none_of(on_rank.begin(), on_rank.end(), held)) {
      streams_.standard << "remove: " << rank
                        << " not found in rank_to_counts.\n";
      return;
    }
  }
}

void Session::RunPartialCancel(const Words& words) {
  bool stats = false;
  JobId job = 0;
  if (words.size() < 4) return SayMalformed();
  if (!CheckStats(words, 4, stats) || !ParseJob(words[1], job)) return;
  if (words[2] != "jgf" && words[2] != "rv1exec") {
    streams_.errors << "ERROR: unsupported reader " << words[2] << '\n';
    return;
  }
  const auto text = ReadFile(words[3]);
  if (!text) {
    streams_.errors << "ERROR: can't open " << words[3] << '\n';
    return;
  }
  const std::int64_t held = stats ? CountHeld(job) : 0;
  switch (ReleaseHeld(words[2], *text, job)) {
    case Released::kUnknown:
      streams_.errors << "partial-cancel: ERROR: nonexistent job " << job
                      << '\n';
      return;
    case Released::kReserved:
      streams_.errors << "ERROR: reservations not currently supported by "
                         "partial cancel\n";
      return;
    case Released::kNotHeld:
      streams_.errors << "ERROR: error encountered while removing job " << job
                      << '\n';
      break;
    case Released::kAll:
      jobs_[job].state = "CANCELED";
      break;
    case Released::kPart:
      break;
  }
  if (stats) SayCounts("PARTIAL CANCEL", held, held - CountHeld(job));
}

void Session::SayInfo(JobId id, const JobInfo& job) {
  streams_.standard << "INFO: " << id << ", " << job.state << ", " << job.at
                    << ", " << job.source << ", " << job.seconds << '\n';
}

void Session::RunList(const Words&) {
  for (const auto& [id, job] : jobs_) SayInfo(id, job);
}

void Session::RunInfo(const Words& words) {
  JobId job = 0;
  if (words.size() != 2) return SayMalformed();
  if (!ParseJob(words[1], job)) return;
  const auto found = jobs_.find(job);
  if (found == jobs_.end()) {
    streams_.errors << "info: ERROR: nonexistent job " << job << '\n';
    return;
  }
  SayInfo(job, found->second);
}

void Session::RunStat(const Words&) {
  const double none = std::numeric_limits<double>::max();
  streams_.standard
      << "INFO: Num. of Jobs Matched: " << jobs_.size() << '\n'
      << "INFO: Min. Match Time: " << (timed_ == 0 ? none : least_seconds_)
      << '\n'
      << "INFO: Max. Match Time: " << most_seconds_ << '\n'
      << "INFO: Avg. Match Time: "
      << (timed_ == 0 ? 0 : all_seconds_ / static_cast<double>(timed_)) << '\n';
}

}  // namespace fluxnetes::matcher

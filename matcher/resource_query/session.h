// A resource-query session: a graph, the jobs matched on it, and the commands,
// one a line.
//
// Results go to one stream, errors to another; only `quit` ends the session.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "matcher/fluxion/matcher.h"
#include "matcher/resource_query/options.h"
#include "matcher/resource_query/recent_jobspecs.h"

namespace fluxnetes::matcher {

class Session {
 public:
  struct Streams {
    std::ostream& results;   // of matches and the like
    std::ostream& standard;  // info, list, stat, help, times
    std::ostream& errors;
  };
  using Words = std::vector<std::string>;

  Session(Matcher matcher, const QueryOptions& options, Streams streams);

  // Runs a command. False: the session ends.
  bool Run(const std::string& line);

  // Prints load time and graph size, for the option -e.
  void SayLoaded(double seconds);

  // Writes the graph to the file of the option -o, at the end. If it fails,
  // prints the reason and returns false.
  bool SaveGraph();

 private:
  struct JobInfo {
    std::string_view state;  // a literal
    Time at = 0;
    std::string source;
    double seconds = 0;
    Time duration = 0;
  };
  struct Command {
    const char* name;
    const char* abbreviation;
    const char* usage;
    void (Session::*run)(const Words& words);
  };
  static const std::vector<Command>& Commands();
  static const Command* FindCommand(std::string_view name);

  void RunMatch(const Words& words);
  void RunMultiMatch(const Words& words);
  void RunUpdate(const Words& words);
  void RunAttach(const Words& words);
  void RunRemove(const Words& words);
  void RunFind(const Words& words);
  void RunCancel(const Words& words);
  void RunPartialCancel(const Words& words);
  void RunSetProperty(const Words& words);
  void RunGetProperty(const Words& words);
  void RunSetStatus(const Words& words);
  void RunGetStatus(const Words& words);
  void RunList(const Words& words);
  void RunInfo(const Words& words);
  void RunStat(const Words& words);
  void RunPicture(const Words& words);
  void RunCat(const Words& words);
  void RunHelp(const Words& words);

  void Restore(const Words& words, JobId job, Time at, Time duration);
  void CountTime(double seconds);
  bool MatchOne(MatchOp op, const std::string& path);
  void SaySatisfiability(const Match& match, double seconds);
  void SayFound(const Match& match, JobId job, double seconds);
  void SayNotFound(const Match& match, JobId job, double seconds);
  void SayCost(const Match& match, double seconds, std::ostream& out);
  // If the match cannot be written, prints the reason and returns false. R_lite
  // of a match that found nothing cannot be written.
  bool Write(const Match& match, const std::string& queue);
  void SayInfo(JobId id, const JobInfo& job);
  Released ReleaseHeld(const std::string& format, const std::string& text,
                       JobId job);
  void SayRankNotHeld(const std::vector<std::int64_t>& ranks, JobId job);
  void SayCounts(const char* what, std::int64_t visited, std::int64_t released);
  // Returns the number of vertices at which the matcher knows the job.
  std::int64_t CountHeld(JobId job) const;
  void SayMalformed();
  bool ParseJob(const std::string& word, JobId& job);
  bool CheckStats(const Words& words, std::size_t plain, bool& stats);

  Matcher matcher_;
  QueryOptions options_;
  Streams streams_;
  std::map<JobId, JobInfo> jobs_;
  RecentJobspecs jobspecs_;
  JobId next_job_ = 1;
  std::size_t timed_ = 0;  // matches and updates that found something
  double least_seconds_ = 0;
  double most_seconds_ = 0;
  double all_seconds_ = 0;
};

inline constexpr std::string_view kBar =
    "INFO: =============================\n";
// The state of a job that starts later, matched or restored.
inline constexpr const char* kReserved = "RESERVED";

}  // namespace fluxnetes::matcher

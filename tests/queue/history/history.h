// The calls that several processes made to a work queue, their results and the
// times of both, and a check that a correct queue can have given these results.
//
// A process writes one line when it makes a call and another when it has the
// result (recorded_queue.h), so the last call of a killed process is known, and
// its outcome is in doubt. All times are from the machine's one clock, so calls
// of different processes are ordered unless they overlap.
//
// A correct queue: a job exists once, and exists if its insert was
// acknowledged; an attempt is leased once; attempts rise; an attempt has at
// most one accepted result, and none after its lease was lost; a result is
// refused only for a reason; accepted results stay; every job ends.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace fluxnetes::queue {

struct Call {
  enum class Answer {
    kGiven,
    kFailed,  // certainly without effect
    kInDoubt  // unknown outcome; also calls without a result
  };
  std::string what;                    // insert, lease or finish
  std::vector<std::string> arguments;  // names; none; id:attempt:outcome
  std::int64_t began = 0;              // ns
  std::int64_t ended = std::numeric_limits<std::int64_t>::max();
  Answer answer = Answer::kInDoubt;
  std::vector<std::string> answers;  // ids; id:attempt; 1 or 0
};

// A row of jobs or jobs_finished at the end.
struct LastState {
  std::int64_t id = 0;
  std::string name;
  std::string state;
  int attempt = 0;
  // The attempts of its errors: those reported by a worker, and those of
  // rescues.
  std::vector<int> failed;
  std::vector<int> rescued;
};

struct History {
  std::vector<Call> calls;
  std::vector<LastState> jobs;
};

// Appends the calls that a process wrote to a file. Skips a truncated last
// line. Throws std::runtime_error for any other invalid line.
void ReadCalls(const std::string& path, std::vector<Call>& calls);

// Returns the contradictions, a line each; none: the history is valid.
std::vector<std::string> Violations(const History& history);

}  // namespace fluxnetes::queue

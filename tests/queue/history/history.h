// What several processes asked of a work queue and were told, with the times of
// both, and whether a queue that keeps its promises can have said so.
//
// A process writes a line when it makes a call and another when it has the
// answer (recorded_queue.h), so what a killed one asked last is known, and is
// in doubt. All clocks are the machine's one, so calls of different processes
// have an order wherever they do not overlap.
//
// The promises: a job is there once, and is there if its insert was
// acknowledged; an attempt is leased once; attempts rise; an attempt has one
// accepted result at most, and none after its lease was lost; a result is
// refused for a reason; what was accepted stays; every job ends.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace fluxnetes::queue {

struct Call {
  enum class Answer {
    kGiven,
    kFailed,  // for certain: nothing happened
    kInDoubt  // it may have happened: also what has no answer
  };
  std::string what;                    // insert, lease or finish
  std::vector<std::string> arguments;  // names; none; id:attempt:outcome
  std::int64_t began = 0;              // ns
  std::int64_t ended = std::numeric_limits<std::int64_t>::max();
  Answer answer = Answer::kInDoubt;
  std::vector<std::string> answers;  // ids; id:attempt; 1 or 0
};

// A row of jobs or jobs_finished when all is over.
struct LastState {
  std::int64_t id = 0;
  std::string name;
  std::string state;
  int attempt = 0;
  // The attempts of its errors: those that a worker told, and the others,
  // which were rescued.
  std::vector<int> failed;
  std::vector<int> rescued;
};

struct History {
  std::vector<Call> calls;
  std::vector<LastState> jobs;
};

// Appends the calls that a process wrote into a file. A last line that was cut
// short is passed over. Throws std::runtime_error for any other.
void ReadCalls(const std::string& path, std::vector<Call>& calls);

// What cannot have been, a line each; none: the history is fine.
std::vector<std::string> Violations(const History& history);

}  // namespace fluxnetes::queue

// An invalid call, because of its arguments or of the state of the job: a fault
// of the caller. Nothing was changed.
// Tests: tests/queue/store/insert_pgtest.cc,
// tests/queue/control/job_control_pgtest.cc.
#pragma once

#include <stdexcept>
#include <string>

namespace fluxnetes::queue {

class JobError : public std::invalid_argument {
 public:
  enum class Code {
    kKind,          // empty, too long, or not text
    kQueue,         // likewise, of a queue's name
    kPriority,      // not 1 to 4
    kMaxAttempts,   // less than 1
    kArgs,          // not a JSON object that PostgreSQL can store
    kMetadata,      // likewise, of metadata
    kTag,           // too long, or not text
    kTooLarge,      // args, metadata or the number of tags
    kUnique,        // invalid uniqueness option
    kDelay,         // a negative delay
    kUnknownJob,    // no such job
    kUnknownQueue,  // no job and no client ever named this queue
    kState,         // the job's state does not allow it
  };

  JobError(Code code, const std::string& what)
      : std::invalid_argument(what), code_(code) {}

  Code code() const { return code_; }

 private:
  Code code_;
};

}  // namespace fluxnetes::queue

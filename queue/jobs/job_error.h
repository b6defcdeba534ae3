// A call that cannot be right, whatever the database holds or because of what
// it holds: the caller's fault. Nothing was changed.
#pragma once

#include <stdexcept>
#include <string>

namespace fluxnetes::queue {

class JobError : public std::invalid_argument {
 public:
  enum class Code {
    kKind,          // empty, too long, or no text
    kQueue,         // the same of a queue's name
    kPriority,      // not 1 to 4
    kMaxAttempts,   // less than 1
    kArgs,          // no JSON object that PostgreSQL can store
    kMetadata,      // the same of metadata
    kTag,           // too long, or no text
    kTooLarge,      // args, metadata or the number of tags
    kUnique,        // an option of uniqueness that cannot be
    kDelay,         // a negative delay
    kUnknownJob,    // there is no such job
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

// The exit codes of `fluxnetes`; `fluxnetes --help` lists them.
// Tests: tests/services/grammar/command_line_test.cc.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace fluxnetes::services {

enum class ExitCode {
  kOk = 0,
  kFailed = 1,      // the message gives the reason
  kUsage = 2,       // the command line or the configuration is wrong
  kNotFound = 3,    // no such group, queue, ...
  kNoDatabase = 4,  // PostgreSQL cannot be reached
  kNoCluster = 5,   // the API server cannot be reached
  kSchema = 6,      // missing, older or newer schema; see `migrate`
  kInterrupted = 130
};

// Their meanings, for help and manual pages.
inline constexpr std::pair<ExitCode, const char*> kExitCodes[] = {
    {ExitCode::kOk, "done"},
    {ExitCode::kFailed, "failed"},
    {ExitCode::kUsage, "usage, or the configuration is wrong"},
    {ExitCode::kNotFound,
     "there is no such group, node, queue, account, maintenance or job"},
    {ExitCode::kNoDatabase, "the database cannot be reached"},
    {ExitCode::kNoCluster, "the cluster cannot be reached"},
    {ExitCode::kSchema,
     "the schema is missing, older or newer than this program"},
    {ExitCode::kInterrupted, "interrupted"}};

// Ends a command: prints "error: " and the text, then the next step on a line
// of its own.
class Failure : public std::runtime_error {
 public:
  Failure(ExitCode code, const std::string& what, std::string next = {})
      : std::runtime_error(what), code_(code), next_(std::move(next)) {}
  ExitCode code() const { return code_; }
  const std::string& next() const { return next_; }

 private:
  ExitCode code_;
  std::string next_;
};

}  // namespace fluxnetes::services

// The calls Match and Cancel of Fluence and of the Go version of Fluxnetes, for
// all of their services: the meaning of a request, and the wait for its answer.
// A match is a group whose pods are started by others
// (workers/requests/external_groups.h). It goes to the scheduling queue
// `queue`, whose node selector and match policy take the place of the earlier
// programs' flags --label and --policy.
//
// A match is identified by its name, "namespace/name", or a name in the
// namespace "default". A match without a name is new with each call, also if
// the call is repeated.
//
// Thread-safe. Throws GrpcRefusal and sql::Error.
// Tests: tests/services/fluence/fluence_services_pgtest.cc.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "queue/store/work_queue.h"
#include "services/database/principal.h"
#include "sql/condition_variable.h"
#include "sql/connection/pool.h"
#include "sql/mutex.h"
#include "workers/requests/external_groups.h"

namespace fluxnetes::services {

// A Match request, in the fields that the services have in common.
struct FluenceRequest {
  std::string name;       // the name of the job, or the id of the pod
  std::string container;  // distinguishes pods of one name
  std::int32_t cpu = 0;   // cores
  std::int64_t memory = 0;
  std::int64_t gpu = 0;
  std::int64_t storage = 0;
  std::vector<std::string> labels;
  std::int32_t count = 0;  // pods
  bool reserve = false;
};

class FluenceMatch {
 public:
  struct Options {
    std::string queue = "default";
    std::chrono::seconds lifetime{std::chrono::hours(48)};
    std::chrono::milliseconds patience{30'000};  // of calls without a deadline
    // Scheduling time.
    std::function<cluster::Time()> now = [] {
      return std::chrono::time_point_cast<cluster::Time::duration>(
          std::chrono::system_clock::now());
    };
  };

  // The caller that waits for the answer, and its deadline.
  struct Waiter {
    Principal caller;
    std::chrono::system_clock::time_point deadline =
        std::chrono::system_clock::time_point::max();
    std::function<bool()> has_gone = [] { return false; };
  };

  struct Result {
    workers::GroupId id = 0;
    workers::ExternalAnswer answer;
  };

  FluenceMatch(sql::Pool& pool, queue::WorkQueue& jobs, Options options)
      : groups_(pool, jobs), options_(std::move(options)) {}

  // Waits until the match is decided. If the caller is gone or its deadline
  // passes before, the match is withdrawn.
  Result Match(const FluenceRequest& request, const Waiter& waiter);

  // Returns false if there is no such match.
  bool Cancel(std::int64_t id, const Principal& caller);

  // Wakes the waiting calls after a decision.
  void Ring() EXCLUDES(mutex_);

  // Ends the waiting calls, and all later ones, with UNAVAILABLE.
  void Stop() EXCLUDES(mutex_);

  // Returns the group that the request asks for. Throws GrpcRefusal with the
  // field.
  workers::ExternalAsk AskOf(const FluenceRequest& request) const;

 private:
  // Returns the number of rings so far, and whether Stop() was called.
  std::pair<std::uint64_t, bool> Rings() EXCLUDES(mutex_);
  // Waits for another ring than those seen, or for Stop().
  void WaitForRing(std::uint64_t seen, std::chrono::milliseconds patience)
      EXCLUDES(mutex_);

  workers::ExternalGroups groups_;
  const Options options_;

  sql::Mutex mutex_;
  sql::ConditionVariable rung_;
  std::uint64_t rings_ GUARDED_BY(mutex_) = 0;
  bool stopping_ GUARDED_BY(mutex_) = false;
};

}  // namespace fluxnetes::services

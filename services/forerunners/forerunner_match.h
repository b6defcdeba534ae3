// The calls Match and Cancel of the forerunners, whichever of their services is
// asked: what a request means, and the wait for its answer. A match is a group
// whose pods others start (workers/requests/external_groups.h), in the
// scheduling queue that `queue` names: that has the node selector and the match
// policy which the forerunners were started with (--label, --policy).
//
// A match is known by its name, "namespace/name" or a name in the namespace
// "default"; one without a name is asked for once, and a call that is repeated
// makes another.
//
// Thread-safe. Throws GrpcRefusal and sql::Error.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "queue/store/work_queue.h"
#include "services/database/caller.h"
#include "sql/connection/pool.h"
#include "workers/requests/external_groups.h"

namespace fluxnetes::services {

// A Match, in the words that their services share.
struct ForerunnerRequest {
  std::string name;       // the name of the job, or the id of the pod
  std::string container;  // tells pods of one name apart
  std::int32_t cpu = 0;   // cores
  std::int64_t memory = 0;
  std::int64_t gpu = 0;
  std::int64_t storage = 0;
  std::vector<std::string> labels;
  std::int32_t count = 0;  // pods
  bool reserve = false;
};

class ForerunnerMatch {
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

  // Who waits for the answer, and for how long.
  struct Waiter {
    Caller caller;
    std::chrono::system_clock::time_point deadline =
        std::chrono::system_clock::time_point::max();
    std::function<bool()> has_gone = [] { return false; };
  };

  struct Result {
    workers::GroupId id = 0;
    workers::ExternalAnswer answer;
  };

  ForerunnerMatch(sql::Pool& pool, queue::WorkQueue& jobs, Options options)
      : groups_(pool, jobs), options_(std::move(options)) {}

  // Waits until the match has decided. Who has gone meanwhile, or waits no
  // longer, leaves nothing behind.
  Result Match(const ForerunnerRequest& request, const Waiter& waiter);

  // False: there is no such match.
  bool Cancel(std::int64_t id, const Caller& caller);

  // Something was decided: those who wait look at once.
  void Ring();

  // Those who wait are sent away (UNAVAILABLE), and so is who comes later.
  void Stop();

  // The group that is asked for. Throws GrpcRefusal that names the field.
  workers::ExternalAsk AskOf(const ForerunnerRequest& request) const;

 private:
  workers::ExternalGroups groups_;
  const Options options_;

  std::mutex mutex_;
  std::condition_variable rung_;
  // Protected by mutex_.
  std::uint64_t rings_ = 0;
  bool stopping_ = false;
};

}  // namespace fluxnetes::services

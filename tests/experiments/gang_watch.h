// Follows the gangs of an experiment by the API server's watch: their pods,
// named gGANG-MEMBER, are bound and deleted.
//
//   GangWatch watch(access, "default", {2, 3});
//   for (const GangNews& news : watch.WaitForNews(until)) ...
//
// Resumes the watch when the API server ends it.
//
// Used by one thread; another one reads the stream. Throws std::runtime_error
// when the watch cannot be resumed: missed events would distort the figures.
#pragma once

#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/http/http_client.h"
#include "cluster/objects/pod.h"
#include "sql/condition_variable.h"
#include "sql/mutex.h"

namespace fluxnetes::testing {

using SteadyTime = std::chrono::steady_clock::time_point;

// The number of the gang's pods with a node, from this time on.
struct GangChange {
  SteadyTime at;
  int gang = 0;
  int bound = 0;
};

struct GangNews {
  enum class What {
    kWhole,
    kGone
  };  // all its pods are bound; all were, and
      // are gone
  What what = What::kWhole;
  int gang = 0;
  SteadyTime at;
};

class GangWatch {
 public:
  // Starts now; the namespace has none of these pods yet.
  GangWatch(const cluster::HttpOptions& access, const std::string& name_space,
            const std::vector<int>& sizes);
  ~GangWatch();
  GangWatch(const GangWatch&) = delete;
  GangWatch& operator=(const GangWatch&) = delete;

  // Returns the news since the last call; waits for some until `until`.
  std::vector<GangNews> WaitForNews(SteadyTime until);

  // All changes so far, in order.
  std::vector<GangChange> Changes() const;

 private:
  class Reader;
  struct Gang {
    int size = 0;
    std::set<int> bound, gone;  // members; those gone were bound
  };

  void Open() EXCLUDES(mutex_);
  void Read(std::string_view line) EXCLUDES(mutex_);
  void Count(const cluster::Pod& pod, bool deleted, SteadyTime now)
      REQUIRES(mutex_);
  void End(const cluster::HttpResponse& response) EXCLUDES(mutex_);

  mutable sql::Mutex mutex_;
  sql::ConditionVariable more_;
  std::vector<Gang> gangs_ GUARDED_BY(mutex_);
  std::vector<GangChange> changes_ GUARDED_BY(mutex_);
  std::vector<GangNews> news_ GUARDED_BY(mutex_);
  std::string version_ GUARDED_BY(mutex_);  // of the last event
  bool cut_off_ GUARDED_BY(mutex_) = false;
  std::string failure_ GUARDED_BY(mutex_);

  const std::string path_;
  cluster::HttpClient client_;  // of its own, so that nothing delays it
  std::unique_ptr<Reader> reader_;
  std::unique_ptr<cluster::HttpStream> stream_;  // destroyed before its reader
};

}  // namespace fluxnetes::testing

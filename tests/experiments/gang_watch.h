// Sees on the API server's own watch how far each gang of an experiment is: its
// pods, named gGANG-MEMBER, are bound, and go.
//
//   GangWatch watch(access, "default", {2, 3});
//   for (const GangNews& news : watch.WaitForNews(until)) ...
//
// Where the API server cuts it off, it goes on from there.
//
// Used by one thread; what it reads comes from another. Throws
// std::runtime_error when the watch cannot go on: what it has missed would be
// missing in the figures.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/http/http_client.h"
#include "cluster/objects/pod.h"

namespace fluxnetes::testing {

using SteadyTime = std::chrono::steady_clock::time_point;

// How many of its pods have a node, from this moment on.
struct GangChange {
  SteadyTime at;
  int gang = 0;
  int bound = 0;
};

struct GangNews {
  enum class What { kWhole, kGone };  // all its pods are bound; were, and went
  What what = What::kWhole;
  int gang = 0;
  SteadyTime at;
};

class GangWatch {
 public:
  // From now on; the namespace has none of these pods yet.
  GangWatch(const cluster::HttpOptions& access, const std::string& name_space,
            const std::vector<int>& sizes);
  ~GangWatch();
  GangWatch(const GangWatch&) = delete;
  GangWatch& operator=(const GangWatch&) = delete;

  // What has become of gangs since the last call, if need be after a wait until
  // something has, or the time has come.
  std::vector<GangNews> WaitForNews(SteadyTime until);

  // All there were, in order.
  std::vector<GangChange> Changes() const;

 private:
  class Reader;
  struct Gang {
    int size = 0;
    std::set<int> bound, gone;  // members; who is gone was bound
  };

  void Open();
  void Read(std::string_view line);
  void Count(const cluster::Pod& pod, bool deleted, SteadyTime now);
  void End(const cluster::HttpResponse& response);

  mutable std::mutex mutex_;
  std::condition_variable more_;
  // Protected by mutex_.
  std::vector<Gang> gangs_;
  std::vector<GangChange> changes_;
  std::vector<GangNews> news_;
  std::string version_;  // of the last that was told
  bool cut_off_ = false;
  std::string failure_;

  const std::string path_;
  cluster::HttpClient client_;  // of its own, so that nothing delays it
  std::unique_ptr<Reader> reader_;
  std::unique_ptr<cluster::HttpStream> stream_;  // goes before its reader
};

}  // namespace fluxnetes::testing

// A control plane of one's own (hack/cluster) and the hands of its
// administrator: creates pods, sees them being bound, deletes them.
//
// Used by one thread; the watch has another.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "cluster/http/http_client.h"
#include "tests/support/script.h"

namespace fluxnetes::benchmarks {

using SteadyTime = std::chrono::steady_clock::time_point;

struct PodShape {
  std::string scheduler;
  int gang = 1;              // pods of a gang; 1: none
  bool native_gang = false;  // by PodGroups of Kubernetes, else by our labels
  std::string cpu = "100m";
};

struct CreatedPod {
  std::string name;
  std::string uid;
  std::string version;
};

class ControlPlane {
 public:
  // In the folder; throws std::runtime_error if it does not start.
  ControlPlane(std::string folder, int nodes);
  ~ControlPlane();
  ControlPlane(const ControlPlane&) = delete;
  ControlPlane& operator=(const ControlPlane&) = delete;

  std::string kubeconfig() const { return folder_ + "/admin.kubeconfig"; }
  const cluster::HttpOptions& access() const { return access_; }
  cluster::HttpClient& api() { return *api_; }

  // Further nodes, NAME0, NAME1, ..., ready when it returns.
  void AddNodes(const std::string& name, int count, int cpu);

  // Named PREFIX0, PREFIX1, ... in the namespace default.
  std::vector<CreatedPod> Create(const std::string& prefix, int count,
                                 const PodShape& shape);
  void Delete(const std::vector<CreatedPod>& pods);
  // All pods of the namespace, and its PodGroups; returns when they are gone.
  void DeleteAll();

  // The resource version of the namespace's pods as they are now.
  std::string Version();

  // Sum of a counter of the API server's over all label sets that contain each
  // of the words.
  double Counter(const std::string& name,
                 const std::vector<std::string>& words);

 private:
  void CreatePodGroups(const std::string& prefix, int count, int size);

  const std::string folder_;
  const testing::Lifeline down_;  // runs last
  cluster::HttpOptions access_;
  std::unique_ptr<cluster::HttpClient> api_;
};

// When pods whose names begin with a prefix were seen bound, in order, and
// whether they run. It sees what happens after a resource version; without one,
// it is shown all pods that are there first.
class BindingWatch {
 public:
  BindingWatch(ControlPlane& plane, std::string prefix,
               std::string version = "");
  ~BindingWatch();
  BindingWatch(const BindingWatch&) = delete;
  BindingWatch& operator=(const BindingWatch&) = delete;

  // Returns when `count` were, or the time is over.
  std::vector<SteadyTime> WaitFor(std::size_t count,
                                  std::chrono::seconds patience);
  // Returns when `count` were seen running, or the time is over: then their
  // kubelet has nothing more to write.
  void WaitUntilRunning(std::size_t count, std::chrono::seconds patience);

 private:
  class Reader;
  void Open();

  const std::unique_ptr<Reader> reader_;
  cluster::HttpClient client_;  // of its own, so that nothing delays it
  std::unique_ptr<cluster::HttpStream> stream_;
};

}  // namespace fluxnetes::benchmarks

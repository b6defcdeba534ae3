// A private control plane (hack/cluster) and its administrator's actions:
// creates pods, watches their bindings, deletes them.
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
  int gang = 1;              // pods per gang; 1: no gangs
  bool native_gang = false;  // by Kubernetes PodGroups, else by our labels
  std::string cpu = "100m";
};

struct CreatedPod {
  std::string name;
  std::string uid;
  std::string version;
};

class ControlPlane {
 public:
  // Starts it in the folder; throws std::runtime_error if it does not start.
  ControlPlane(std::string folder, int nodes);
  ~ControlPlane();
  ControlPlane(const ControlPlane&) = delete;
  ControlPlane& operator=(const ControlPlane&) = delete;

  std::string kubeconfig() const { return folder_ + "/admin.kubeconfig"; }
  const cluster::HttpOptions& access() const { return access_; }
  cluster::HttpClient& api() { return *api_; }

  // Adds nodes NAME0, NAME1, ...; they are ready on return.
  void AddNodes(const std::string& name, int count, int cpu);

  // Creates pods PREFIX0, PREFIX1, ... in the namespace default.
  std::vector<CreatedPod> Create(const std::string& prefix, int count,
                                 const PodShape& shape);
  void Delete(const std::vector<CreatedPod>& pods);
  // Deletes all pods and PodGroups of the namespace; returns when they are
  // gone.
  void DeleteAll();

  // The current resource version of the namespace's pods.
  std::string Version();

  // The sum of a counter of the API server over all label sets that contain
  // each of the words.
  double Counter(const std::string& name,
                 const std::vector<std::string>& words);

 private:
  void CreatePodGroups(const std::string& prefix, int count, int size);

  const std::string folder_;
  const testing::Lifeline down_;  // its command runs last
  cluster::HttpOptions access_;
  std::unique_ptr<cluster::HttpClient> api_;
};

// Records when pods with a name prefix were bound, in order, and whether they
// run. It starts after a resource version; without one it first receives all
// existing pods.
class BindingWatch {
 public:
  BindingWatch(ControlPlane& plane, std::string prefix,
               std::string version = "");
  ~BindingWatch();
  BindingWatch(const BindingWatch&) = delete;
  BindingWatch& operator=(const BindingWatch&) = delete;

  // Returns when `count` pods were bound, or the time is over.
  std::vector<SteadyTime> WaitFor(std::size_t count,
                                  std::chrono::seconds patience);
  // Returns when `count` pods were seen running, or the time is over; then
  // their kubelet has nothing more to write.
  void WaitUntilRunning(std::size_t count, std::chrono::seconds patience);

 private:
  class Reader;
  void Open();

  const std::unique_ptr<Reader> reader_;
  cluster::HttpClient client_;  // of its own, so that nothing delays it
  std::unique_ptr<cluster::HttpStream> stream_;
};

}  // namespace fluxnetes::benchmarks

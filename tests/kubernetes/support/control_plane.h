// A real Kubernetes control plane for all tests of this program: hack/cluster
// in a folder of its own, started when it is first asked for, and stopped when
// the process ends, however it ends.
//
// The scheduler is let in with the rights of deploy/rbac.yaml and no others,
// the tests themselves as administrator.
#pragma once

#include <memory>
#include <string>

#include "cluster/http/http_client.h"
#include "tests/support/script.h"

namespace fluxnetes::testing {

class ControlPlane {
 public:
  // Null where none can be had; WhyNone says why. Throws if it can and fails.
  static ControlPlane* Get();
  static const std::string& WhyNone();
  // Before the end of main: what runs when the process ends is not waited for.
  static void Stop();

  ~ControlPlane();
  ControlPlane(const ControlPlane&) = delete;
  ControlPlane& operator=(const ControlPlane&) = delete;

  // With the administrator's rights.
  cluster::HttpClient& api() { return *api_; }
  // For a client of one's own, with the same rights.
  const cluster::HttpOptions& access() const { return access_; }
  // Who the scheduler is.
  const std::string& kubeconfig() const { return kubeconfig_; }
  const std::string& folder() const { return folder_; }
  // As it says itself: "v1.36.3".
  const std::string& version() const { return version_; }
  // Kubernetes' own PodGroup, which is there from 1.36 on.
  bool HasPodGroups() const;

  // One of its programs: etcd, kube-apiserver, ... By SIGKILL; started again
  // as it was, and ready when it returns.
  void Kill(const std::string& program) { Script("kill", program); }
  void Start(const std::string& program) { Script("start", program); }

  // Where one more program of hack/cluster is, which is built if need be; empty
  // where it can not be.
  static std::string Tool(const std::string& program);

  // What of it runs, and what its programs said last.
  std::string Report() const;

 private:
  ControlPlane();
  void Script(const std::string& verb, const std::string& more = {});

  std::string folder_;
  std::unique_ptr<Lifeline> lifeline_;
  std::string kubeconfig_;
  std::string version_;
  cluster::HttpOptions access_;
  std::unique_ptr<cluster::HttpClient> api_;
};

}  // namespace fluxnetes::testing

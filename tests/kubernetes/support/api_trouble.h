// Stands between a scheduler and the API server (hack/cluster trouble) and, by
// a seed, answers 429, 500, 503 and 409, cuts connections before and after a
// request has gone on, ends watches, tells events late, twice, and those of two
// objects in another order. With the seed 0 it does only what it is told to.
//
//   ApiTrouble trouble(plane, 7);
//   StartScheduler({{"FLUXNETES_KUBECONFIG", trouble.kubeconfig()}});
//
// Ends with this object. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "cluster/http/http_client.h"
#include "tests/kubernetes/support/control_plane.h"
#include "tests/support/process.h"

namespace fluxnetes::testing {

class ApiTrouble {
 public:
  ApiTrouble(const ControlPlane& plane, std::uint64_t seed);

  // Leads to the API server through it, with the scheduler's rights.
  const std::string& kubeconfig() const { return kubeconfig_; }

  enum class When { kBefore, kAfter };
  // Requests that change something and whose path matches (a regular expression
  // of Go's) are held: they do not reach the API server, or (kAfter) its answer
  // does not come back. One whose client goes away meanwhile is dropped.
  void Hold(const std::string& path, When when);
  // What is held goes on, and nothing is held any more.
  void Release();

  // Cuts all connections and those that are made; what was on its way may have
  // arrived.
  void GoAway();
  void ComeBack();

  // How often it did what: {"429": 7, "held": 2, ...}.
  std::map<std::string, int> Counts();
  int Count(const std::string& what) { return Counts()[what]; }

 private:
  std::string Send(const std::string& method, const std::string& path,
                   const std::string& body = {});

  std::unique_ptr<Process> process_;
  std::string kubeconfig_;
  std::unique_ptr<cluster::HttpClient> control_;
};

}  // namespace fluxnetes::testing

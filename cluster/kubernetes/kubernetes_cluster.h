// The cluster behind a Kubernetes API server, or behind the simulated cluster's
// API, which speaks the same (services/simulated_api/cluster_api.h).
//
// A binding that is answered with a conflict is read again: libcurl repeats a
// POST on a kept connection that has died, so it may have been ours that gave
// the pod its node. If the pod has the wanted node it counts as bound.
//
// Kinds other than those of Kubernetes itself and JobSet cannot be asked for:
// TopOwner stops below them, Delete and MayReplace say that there is no such
// object.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "cluster/cluster.h"
#include "cluster/http/http_client.h"
#include "cluster/kubernetes/kubernetes_watch.h"

namespace fluxnetes::cluster {

struct KubernetesOptions {
  HttpOptions http;
  KubernetesWatchOptions watch;
  // Of each call that has no deadline of its own, all attempts together.
  std::chrono::milliseconds deadline{15'000};
  // Told once of each kind of best effort writes (events, conditions) that the
  // API server refuses, with its answer, which names the right that is missing
  // if it is one. From any thread.
  std::function<void(const std::string& what, const std::string& why)>
      on_refused;
};

class KubernetesCluster final : public Cluster {
 public:
  // Connects when it is first asked for something.
  explicit KubernetesCluster(KubernetesOptions options);
  ~KubernetesCluster() override;

  // All calls that are under way, and all that still come, throw Unreachable,
  // watches fall silent: for a stop that cannot wait for a cluster that is
  // away. From one thread; twice is fine.
  void GiveUp();

  std::unique_ptr<Watch> WatchAll() override;
  std::vector<BindResult> Bind(std::span<const Binding> bindings,
                               std::chrono::milliseconds deadline) override;
  std::vector<AnnounceResult> Announce(
      std::span<const NodeAnnouncement> announcements) override;
  std::optional<Pod> GetPod(const std::string& namespace_name,
                            const std::string& name) override;
  std::vector<TouchResult> Touch(std::span<const ObjectName> pods) override;
  bool Delete(const ObjectName& object) override;
  std::optional<ObjectName> TopOwner(const ObjectName& owner) override;
  bool MayReplace(const ObjectName& owner) override;
  void Record(std::span<const PodEvent> events) override;
  std::vector<StatusResult> SetConditions(
      std::span<const PodCondition> conditions) override;
  std::vector<StatusResult> SetGroupStatuses(
      std::span<const PodGroupNews> groups) override;

 private:
  HttpRequest Request(std::string method, std::string path,
                      std::string body = {}) const;
  void LookAgain(std::span<const Binding> bindings,
                 std::chrono::milliseconds deadline,
                 std::vector<BindResult>& results);
  // Touches these of the pods; returns those to be tried again.
  std::vector<std::size_t> TouchOnce(std::span<const ObjectName> pods,
                                     const std::vector<std::size_t>& these,
                                     bool last,
                                     std::vector<TouchResult>& results);
  // A controller as it is now; nothing if it is not there.
  std::optional<nlohmann::json> GetOwner(const ObjectName& owner);
  // Sends in rounds, so that two of one pod keep their order; the answers in
  // the order of the items.
  template <typename Item>
  std::vector<HttpResponse> SendInOrder(
      std::span<const Item> items,
      const std::function<HttpRequest(const Item&)>& write);
  void NoteRefusals(const std::string& what,
                    const std::vector<HttpResponse>& answers);

  const KubernetesOptions options_;
  HttpClient client_;

  std::mutex mutex_;
  // Protected by mutex_: what on_refused was told of.
  std::set<std::pair<std::string, int>> refused_;
};

}  // namespace fluxnetes::cluster

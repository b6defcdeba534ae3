// The cluster behind a Kubernetes API server, or behind the simulated cluster's
// API, which speaks the same protocol (services/simulated_api/cluster_api.h).
//
// After a binding that was answered with a conflict the pod is read: libcurl
// repeats a POST on a kept connection that has died, so our own first POST may
// have bound the pod. If the pod has the requested node, it counts as bound.
//
// Objects are read in Protobuf where the server has it; of answers to patches,
// events and deletions only the metadata, if that is all that is used. Bindings
// and events are written in Protobuf. Once the server refuses it (415), or has
// sent some that cannot be read, all of these are in JSON.
//
// Of owners those of Kubernetes itself, of the known operators, and of the
// configured kinds can be read (owner_kinds.h): TopOwner stops below any other
// kind, Delete and MayReplace treat it as absent. ReadControllers knows only
// Kubernetes' own kinds.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "cluster/cluster.h"
#include "cluster/http/http_client.h"
#include "cluster/kubernetes/api_answer.h"
#include "cluster/kubernetes/kubernetes_watch.h"
#include "cluster/kubernetes/owner_kinds.h"
#include "sql/mutex.h"

namespace fluxnetes::cluster {

struct KubernetesOptions {
  HttpOptions http;
  KubernetesWatchOptions watch;
  // Whether what the server has in Protobuf is read and written so, unless
  // `watch` says otherwise of the watch; else JSON.
  bool protobuf = true;
  // For all attempts of a call that has no deadline of its own.
  std::chrono::milliseconds deadline{15'000};
  // Kinds of owners besides the known ones, or other versions of these.
  std::vector<OwnerKind> owner_kinds;
  // Called once per kind of best-effort request (events, conditions,
  // controllers of pods) and status that the API server refuses, with its
  // answer, which names the missing permission if there is one. May be called
  // from any thread.
  std::function<void(const std::string& what, const std::string& why)>
      on_refused;
};

class KubernetesCluster final : public Cluster {
 public:
  // Connects at the first call.
  explicit KubernetesCluster(KubernetesOptions options);
  ~KubernetesCluster() override;

  // Makes all calls, in flight and later ones, throw Unreachable, and silences
  // watches: for a shutdown that cannot wait for an unreachable cluster. Call
  // from one thread; calling twice is fine.
  void GiveUp();

  std::unique_ptr<Watch> WatchAll() override;
  std::vector<BindResult> Bind(std::span<const Binding> bindings,
                               std::chrono::milliseconds deadline) override;
  std::vector<AnnounceResult> Announce(
      std::span<const NodeAnnouncement> announcements) override;
  std::vector<ClaimResult> AllocateClaims(
      std::span<const ClaimAllocation> claims) override;
  std::vector<ClaimResult> ReleaseClaims(
      std::span<const ClaimRelease> claims) override;
  std::optional<Pod> GetPod(const std::string& namespace_name,
                            const std::string& name) override;
  std::vector<TouchResult> Touch(std::span<const ObjectName> pods) override;
  bool Delete(const ObjectName& object) override;
  std::optional<ObjectName> TopOwner(const ObjectName& owner) override;
  bool MayReplace(const ObjectName& owner) override;
  std::vector<ControllerState> ReadControllers(
      std::span<const ObjectName> controllers) override;
  void Record(std::span<const PodEvent> events) override;
  std::vector<StatusResult> SetConditions(
      std::span<const PodCondition> conditions) override;
  std::vector<StatusResult> SetGroupStatuses(
      std::span<const PodGroupNews> groups) override;

 private:
  HttpRequest Request(std::string method, std::string path,
                      std::string body = {}) const;
  std::vector<StatusResult> ToStatusResults(
      const std::vector<HttpResponse>& answers);
  // Writes the request of this number, with a body in Protobuf or in JSON.
  using Write = std::function<HttpRequest(std::size_t number, bool protobuf)>;
  // Sends so many requests; returns the answers in their order.
  std::vector<HttpResponse> SendWritten(std::size_t count, const Write& write);
  // Sends the patches of the claims until none needs another one.
  template <typename Wish, typename Next>
  std::vector<ClaimResult> WriteClaims(std::span<const Wish> wishes,
                                       const Next& next);
  void LookAgain(std::span<const Binding> bindings,
                 std::chrono::milliseconds deadline,
                 std::vector<BindResult>& results);
  // Touches the pods at the indexes `these`; returns the indexes to be retried.
  std::vector<std::size_t> TouchOnce(std::span<const ObjectName> pods,
                                     const std::vector<std::size_t>& these,
                                     bool last,
                                     std::vector<TouchResult>& results);
  // Returns the path of the object; nothing for a kind that nobody named.
  std::optional<std::string> PathOfOwner(const ObjectName& owner) const;
  // Reads an owner as what `accept` asks for; false if it does not exist.
  bool ReadOwner(const ObjectName& owner, std::string accept,
                 const std::function<void(const EncodedValue&)>& read);
  // Sends the requests in rounds, so that two requests about one pod keep their
  // order; returns the answers in the order of the items.
  template <typename Item>
  std::vector<HttpResponse> SendInOrder(
      std::span<const Item> items,
      const std::function<HttpRequest(const Item&, bool protobuf)>& write);
  void NoteRefusals(const std::string& what,
                    const std::vector<HttpResponse>& answers) EXCLUDES(mutex_);

  const KubernetesOptions options_;
  HttpClient client_;
  ApiEncoding encoding_;

  sql::Mutex mutex_;
  // The refusals already reported to on_refused.
  std::set<std::pair<std::string, int>> refused_ GUARDED_BY(mutex_);
};

}  // namespace fluxnetes::cluster

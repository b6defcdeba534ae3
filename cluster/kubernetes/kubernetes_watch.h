// The watch of a Kubernetes API: each kind is listed, then watched over a
// stream of its own (kind_watch.h has the states). Pods are listed last, so
// that the objects they refer to are known first.
//
// A stream that ends without an error (closed, silent, timed out) loses
// nothing: the next one resumes from the version of the last event or bookmark.
// If the server has forgotten that version, the kind is listed again; if the
// server is another one, all kinds are. Failures are retried for ever, with
// backoff or as Retry-After says. Optional kinds that the server does not have,
// or does not let us read, do not delay the end of the list; they are asked for
// again every few minutes.
//
// Used by one thread, which decodes. Lines arrive on the HTTP client's thread;
// streams are paused while too many lines wait.
// Tests: tests/cluster/kubernetes/kubernetes_cluster_test.cc,
// tests/cluster/kubernetes/kind_watch_test.cc.
#pragma once

#include <array>
#include <chrono>
#include <memory>
#include <span>
#include <vector>

#include "cluster/cluster.h"
#include "cluster/http/http_client.h"
#include "cluster/kubernetes/kind_watch.h"

namespace fluxnetes::cluster {

class KubernetesWatch final : public Watch {
 public:
  // The client outlives the watch.
  KubernetesWatch(HttpClient& client, KubernetesWatchOptions options);
  ~KubernetesWatch() override;

  std::vector<WatchEvent> Next(int limit,
                               std::chrono::milliseconds timeout) override;

 private:
  void Proceed();
  void ListAll(std::chrono::milliseconds wait);
  // Lists the pods once all other kinds have been listed.
  void ListOn();
  KindWatch::SteadyTime NextAttempt() const;
  // All kinds except pods.
  std::span<const std::unique_ptr<KindWatch>> Others() const;
  std::vector<WatchEvent> TakeReady(int limit);

  KindWatchContext context_;
  std::array<std::unique_ptr<KindWatch>, kWatchedKinds> kinds_;  // in order
  std::array<std::size_t, kWatchedKinds> place_{};               // of a kind
  // The list of all kinds.
  bool listing_ = true;
  bool begun_ = false;       // its kListBegin has been queued
  bool lists_pods_ = false;  // all other kinds have been listed
  KindWatch::SteadyTime list_at_{};
  int lists_ = 0;  // of other clusters, in a row
};

}  // namespace fluxnetes::cluster

// The watch of a Kubernetes API: each kind is listed, then watched over a
// stream of its own (kind_watch.h has the states). Pods come last, so that what
// they refer to is known before them.
//
// A stream that ends without a word (closed, silent, time-out) loses nothing,
// since the next one goes on from the version of the last event or bookmark.
// Where the server has forgotten that version the kind is listed anew; if the
// server is another one, all are. Failures are tried again for ever, with
// backoff or when Retry-After says. Optional kinds that the server does not
// have, or does not let us read, do not keep the list from its end; they are
// asked for again every few minutes.
//
// Used by one thread, which decodes; lines arrive from the HTTP client's thread
// and are held back when too many wait.
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
  // Begins with the pods when all other kinds have been listed.
  void ListOn();
  KindWatch::SteadyTime NextAttempt() const;
  // All kinds but pods.
  std::span<const std::unique_ptr<KindWatch>> Others() const;
  std::vector<WatchEvent> TakeReady(int limit);

  KindWatchContext context_;
  std::array<std::unique_ptr<KindWatch>, kWatchedKinds> kinds_;  // in order
  std::array<std::size_t, kWatchedKinds> place_{};               // of a kind
  // The list of all kinds.
  bool listing_ = true;
  bool begun_ = false;       // the reader has been told of it
  bool lists_pods_ = false;  // all other kinds have been listed
  KindWatch::SteadyTime list_at_{};
  int lists_ = 0;  // of other clusters, in a row
};

}  // namespace fluxnetes::cluster

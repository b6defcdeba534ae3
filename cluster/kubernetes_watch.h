// The watch of a Kubernetes API: nodes and pods listed page by page, then
// watched from the versions of the lists, each over a stream of its own.
//
//   listing nodes ─▶ listing pods ─▶ watching ──┐ a stream ended: again, from
//        ▲                              │  ▲────┘ the last version seen
//        └────── 410, or not readable ──┘
//
// An end without a word (closed, silent, time-out) loses nothing, since the
// next stream goes on from the version of the last event or bookmark. Failures
// are tried again for ever, with backoff or when Retry-After says.
//
// Used by one thread, which decodes; lines arrive from the HTTP client's thread
// and are held back when too many wait.
#pragma once

#include <array>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "cluster/cluster.h"
#include "cluster/http_client.h"
#include "cluster/watch_line.h"

namespace fluxnetes::cluster {

struct KubernetesWatchOptions {
  int page = 1'000;  // objects
  // The server ends a watch after this long (half to whole), and sends a
  // bookmark each minute; a stream that is silent for longer is dead.
  std::chrono::seconds length{600};
  std::chrono::milliseconds silence{90'000};
  std::chrono::milliseconds first_backoff{20};
  std::chrono::milliseconds longest_backoff{5'000};
  // Told by Next() why the cluster cannot be listed or watched, once per
  // reason, and with an empty text when it can again.
  std::function<void(const std::string& why)> on_trouble;
};

class KubernetesWatch final : public Watch {
 public:
  // The client outlives the watch.
  KubernetesWatch(HttpClient& client, KubernetesWatchOptions options);
  ~KubernetesWatch() override;

  std::vector<WatchEvent> Next(int limit,
                               std::chrono::milliseconds timeout) override;

 private:
  using SteadyTime = std::chrono::steady_clock::time_point;
  class Mailbox;
  class LineReader;
  struct Letter;
  struct Side;  // one kind

  void Proceed();
  void RequestPage();
  void OpenStream(Side& side);
  SteadyTime NextAttempt() const;
  void Read(const Letter& letter);
  void ReadPage(const HttpResponse& response);
  void ReadLine(Side& side, std::string_view line);
  void ReadEnd(Side& side, const HttpResponse& response);
  void Trouble(const std::string& of, const HttpResponse& response);
  void NoTrouble();
  void Relist();
  void RelistLater();
  std::chrono::milliseconds Backoff(int failures);
  std::vector<WatchEvent> TakeReady(int limit);

  HttpClient& client_;
  const KubernetesWatchOptions options_;
  // Shared with a page that is under way when the watch goes.
  const std::shared_ptr<Mailbox> mailbox_;

  std::array<std::unique_ptr<Side>, 2> sides_;  // by WatchedKind
  bool listing_ = true;
  bool begun_ = false;  // the reader has been told of the list
  WatchedKind listed_kind_ = WatchedKind::kNodes;
  std::string continuation_;
  bool page_under_way_ = false;
  int list_failures_ = 0;  // since a stream said something
  std::string trouble_;    // what was told last
  SteadyTime list_at_{};
  int epoch_ = 0;  // of lists: letters of an earlier one mean nothing
  std::deque<WatchEvent> ready_;
  std::minstd_rand random_;
};

}  // namespace fluxnetes::cluster

// The watch of one kind of objects of a Kubernetes API: lists the kind, then
// watches it over a stream of its own. If the server can (Kubernetes API
// concepts: "Streaming lists"), the list is the beginning of that stream; else
// the list is read page by page, and the stream starts at its version.
//
//   waiting ─▶ listing ─▶ watching ──┐ the stream ended: again, from the last
//               ▲ │ ▲        │  ▲────┘ version seen
//               │ │ └────────┘ 410, or unreadable
//               │ ▼
//             passed over   optional kinds only: 404, 403, or unreadable;
//                           asked for again, less and less often
//
// Kubernetes' own kinds are asked for in Protobuf, and in JSON where the server
// does not have that. What comes tells which it is. A kind whose Protobuf
// cannot be read is asked for in JSON from then on.
//
// A kind that the server no longer serves (404) has no objects. If we may not
// read it (403), or reading fails, its objects as last seen stay.
//
// Used by the thread of the watch only.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <string_view>

#include "cluster/cluster.h"
#include "cluster/http/http_client.h"
#include "cluster/json/common_parts.h"
#include "cluster/json/watch_line.h"
#include "cluster/kubernetes/watch_mailbox.h"

namespace fluxnetes::cluster {

struct KubernetesWatchOptions {
  int page = 1'000;  // objects
  // Asks for streaming lists until the server refuses.
  bool stream_lists = true;
  bool protobuf = true;  // else all kinds are asked for in JSON
  // The server ends a watch after this time (half to whole) and sends a
  // bookmark each minute; a stream that is silent for longer than `silence` is
  // dead.
  std::chrono::seconds length{600};
  std::chrono::milliseconds silence{90'000};
  std::chrono::milliseconds first_backoff{20};
  std::chrono::milliseconds longest_backoff{5'000};
  // A passed-over optional kind is asked for again after 1 s, 2 s, 4 s, ... and
  // finally each time after this long (half to whole).
  std::chrono::milliseconds ask_again{240'000};
  // Called by Next() with the reason why the cluster cannot be listed or
  // watched, once per reason, and with an empty text when it can again.
  std::function<void(const std::string& why)> on_trouble;
  // Called once per reason for an optional kind that the server has but does
  // not let us read, or that is unreadable; the kind is treated as not served.
  std::function<void(const std::string& why)> on_passed_over;
  // Counts lists and streams; may be null.
  ApiTally* tally = nullptr;
};

// The state that the kinds of one watch share.
struct KindWatchContext {
  HttpClient& client;
  const KubernetesWatchOptions options;
  // Shared with a page request that is in flight when the watch is destroyed.
  const std::shared_ptr<WatchMailbox> mailbox =
      std::make_shared<WatchMailbox>();
  std::deque<WatchEvent> ready = {};
  std::minstd_rand random{std::random_device{}()};
  CommonParts common = {};
  std::string trouble = {};  // as last reported

  // Half to whole.
  std::chrono::milliseconds Jitter(std::chrono::milliseconds whole);
  std::chrono::milliseconds Backoff(int failures);
  void Trouble(std::string why);
  void NoTrouble();
};

class KindWatch {
 public:
  using SteadyTime = std::chrono::steady_clock::time_point;

  KindWatch(WatchedKind kind, KindWatchContext& context);
  ~KindWatch();

  // Drops all progress and waits for List().
  void Reset();
  // Lists the kind from the beginning, after `wait`. Its events begin with
  // kListBegin of this kind.
  void List(std::chrono::milliseconds wait);
  void Resume();
  // Requests a page or opens the stream if it is due.
  void Proceed(SteadyTime now);
  SteadyTime NextAttempt() const;

  void Read(const WatchLetter& letter);

  // True once its list has been delivered whole, or if it is passed over.
  bool IsListed() const {
    return state_ == State::kWatching || state_ == State::kPassedOver;
  }
  // True if the server is another one than was listed: list all kinds.
  bool HasLostTheCluster() const { return lost_cluster_; }

 private:
  enum class State { kWaiting, kListing, kWatching, kPassedOver };
  class LineReader;

  const char* Path() const;
  void BeginList();
  void RequestPage();
  // Opens the stream with the existing objects first, or from version_ on.
  void OpenStream(bool with_list);
  void CloseStream();
  void ReadPage(const HttpResponse& response);
  void ReadLine(WatchLine line);
  void ReadEnd(const HttpResponse& response);
  void ReadListedLine(WatchLine line);
  void EndList(std::string version);
  bool FallBackToPages(const HttpResponse& response);
  // `parameter` of the type Protobuf.
  std::string Accept(const char* parameter) const;
  void FailToList(const HttpResponse& response);
  bool TryNextPath();
  void PassOver(const std::string& why);
  void ListLater();
  void Tell(WatchEvent::Kind kind);

  const WatchedResource& resource_;
  KindWatchContext& context_;
  bool protobuf_;  // until some of it cannot be read
  State state_ = State::kWaiting;
  int epoch_ = 0;  // letters of an earlier epoch are ignored
  SteadyTime next_at_{};
  std::size_t path_ = 0;
  bool served_ = false;        // at its last list
  int times_passed_over_ = 0;  // in a row
  std::string passed_over_;    // the reason last reported
  bool lost_cluster_ = false;

  // Listing.
  bool streams_lists_;  // until the server refuses
  std::string continuation_;
  bool begun_ = false;
  bool page_under_way_ = false;
  int list_failures_ = 0;  // since a stream delivered a line

  // Watching.
  std::string version_;
  int failures_ = 0;  // in a row
  std::unique_ptr<LineReader> reader_;
  std::unique_ptr<HttpStream> stream_;  // destroyed before its reader
};

}  // namespace fluxnetes::cluster

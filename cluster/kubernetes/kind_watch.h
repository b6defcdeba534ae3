// One kind of objects of a Kubernetes API: listed, then watched over a stream
// of its own. Where the server can (Kubernetes API concepts: "Streaming
// lists"), the list is the beginning of that stream; else it is read page by
// page, and the stream begins at its version.
//
//   waiting ─▶ listing ─▶ watching ──┐ the stream ended: again, from the last
//               ▲ │ ▲        │  ▲────┘ version seen
//               │ │ └────────┘ 410, or not readable
//               │ ▼
//             passed over   optional kinds only: 404, 403, or not readable;
//                           asked for again, less and less often
//
// A kind that the server has no more (404) has no objects; where we may not
// read it (403), or it fails, what was known of it stays.
//
// Used by one thread, that of the watch.
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
  // Asks for streaming lists, until the server refuses.
  bool stream_lists = true;
  // The server ends a watch after this long (half to whole), and sends a
  // bookmark each minute; a stream that is silent for longer is dead.
  std::chrono::seconds length{600};
  std::chrono::milliseconds silence{90'000};
  std::chrono::milliseconds first_backoff{20};
  std::chrono::milliseconds longest_backoff{5'000};
  // An optional kind that was passed over is asked for again after a second,
  // two, four, ... and then each time after this long (half to whole).
  std::chrono::milliseconds ask_again{240'000};
  // Told by Next() why the cluster cannot be listed or watched, once per
  // reason, and with an empty text when it can again.
  std::function<void(const std::string& why)> on_trouble;
  // Told once of an optional kind that the server has but does not let us
  // read, or that cannot be read: it is taken as not served.
  std::function<void(const std::string& why)> on_passed_over;
  // Told of each list and stream; null: nobody wants to know.
  ApiTally* tally = nullptr;
};

// What the kinds of one watch share.
struct KindWatchContext {
  HttpClient& client;
  const KubernetesWatchOptions options;
  // Shared with a page that is under way when the watch goes.
  const std::shared_ptr<WatchMailbox> mailbox =
      std::make_shared<WatchMailbox>();
  std::deque<WatchEvent> ready = {};
  std::minstd_rand random{std::random_device{}()};
  CommonParts common = {};
  std::string trouble = {};  // what was told last

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

  // Forgets all and waits for List().
  void Reset();
  // After a while, from the beginning. Events begin with kListBegin of this
  // kind.
  void List(std::chrono::milliseconds wait);
  void Resume();
  // Asks for a page or opens the stream, if it is time to.
  void Proceed(SteadyTime now);
  SteadyTime NextAttempt() const;

  void Read(const WatchLetter& letter);

  // Its list has been told to the end, or it is passed over.
  bool IsListed() const {
    return state_ == State::kWatching || state_ == State::kPassedOver;
  }
  // The server is another one than that which we listed: list all kinds.
  bool HasLostTheCluster() const { return lost_cluster_; }

 private:
  enum class State { kWaiting, kListing, kWatching, kPassedOver };
  class LineReader;

  const char* Path() const;
  void BeginList();
  void RequestPage();
  // With the objects that there are first, or from version_ on.
  void OpenStream(bool with_list);
  void CloseStream();
  void ReadPage(const HttpResponse& response);
  void ReadLine(std::string_view line);
  void ReadEnd(const HttpResponse& response);
  void ReadListedLine(WatchLine line);
  void EndList(std::string version);
  bool FallBackToPages(const HttpResponse& response);
  void FailToList(const HttpResponse& response);
  bool TryNextPath();
  void PassOver(const std::string& why);
  void ListLater();
  void Tell(WatchEvent::Kind kind);

  const WatchedResource& resource_;
  KindWatchContext& context_;
  State state_ = State::kWaiting;
  int epoch_ = 0;  // letters of an earlier one mean nothing
  SteadyTime next_at_{};
  std::size_t path_ = 0;
  bool served_ = false;        // it was, when it was listed last
  int times_passed_over_ = 0;  // in a row
  std::string passed_over_;    // what was told of it
  bool lost_cluster_ = false;

  // Listing.
  bool streams_lists_;  // the server has not refused to yet
  std::string continuation_;
  bool begun_ = false;
  bool page_under_way_ = false;
  int list_failures_ = 0;  // since a stream said something

  // Watching.
  std::string version_;
  int failures_ = 0;  // in a row
  std::unique_ptr<LineReader> reader_;
  std::unique_ptr<HttpStream> stream_;  // goes before its reader
};

}  // namespace fluxnetes::cluster

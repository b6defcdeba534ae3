#include "cluster/kubernetes_watch.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace fluxnetes::cluster {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::size_t kMostBytesWaiting = std::size_t{4} << 20U;
constexpr int kGone = 410;

const char* PathOf(WatchedKind kind) {
  return kind == WatchedKind::kPods ? "/api/v1/pods" : "/api/v1/nodes";
}

}  // namespace

struct KubernetesWatch::Letter {
  enum class Content { kPage, kLine, kEnd };
  Content content = Content::kLine;
  int epoch = 0;
  WatchedKind kind = WatchedKind::kNodes;
  std::string line;
  HttpResponse response;
};

// What the HTTP client's thread has brought.
class KubernetesWatch::Mailbox {
 public:
  void Put(Letter letter) {
    const std::lock_guard lock(mutex_);
    bytes_ += letter.line.size();
    letters_.push_back(std::move(letter));
    arrived_.notify_one();
  }

  bool HasRoom() {
    const std::lock_guard lock(mutex_);
    if (bytes_ < kMostBytesWaiting) return true;
    held_back_ = true;
    return false;
  }

  std::deque<Letter> Take(int limit, SteadyTime until) {
    std::unique_lock lock(mutex_);
    arrived_.wait_until(lock, until, [this] { return !letters_.empty(); });
    std::deque<Letter> taken;
    while (!letters_.empty() && std::ssize(taken) < limit) {
      bytes_ -= letters_.front().line.size();
      taken.push_back(std::move(letters_.front()));
      letters_.pop_front();
    }
    return taken;
  }

  // Whether streams have been held back and there is room for them now.
  bool MayResume() {
    const std::lock_guard lock(mutex_);
    if (!held_back_ || bytes_ > kMostBytesWaiting / 2) return false;
    held_back_ = false;
    return true;
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  // Protected by mutex_.
  std::deque<Letter> letters_;
  std::size_t bytes_ = 0;
  bool held_back_ = false;
};

class KubernetesWatch::LineReader final : public StreamReader {
 public:
  LineReader(Mailbox& mailbox, WatchedKind kind, int epoch)
      : mailbox_(mailbox), kind_(kind), epoch_(epoch) {}

  bool Ready() override { return mailbox_.HasRoom(); }
  void Line(std::string_view line) override {
    mailbox_.Put(
        {Letter::Content::kLine, epoch_, kind_, std::string(line), {}});
  }
  void End(HttpResponse response) override {
    mailbox_.Put(
        {Letter::Content::kEnd, epoch_, kind_, {}, std::move(response)});
  }

 private:
  Mailbox& mailbox_;
  const WatchedKind kind_;
  const int epoch_;
};

struct KubernetesWatch::Side {
  WatchedKind kind = WatchedKind::kNodes;
  std::string version;
  int failures = 0;  // in a row
  SteadyTime open_at{};
  std::unique_ptr<LineReader> reader;
  std::unique_ptr<HttpStream> stream;  // goes before its reader
};

KubernetesWatch::KubernetesWatch(HttpClient& client,
                                 KubernetesWatchOptions options)
    : client_(client),
      options_(std::move(options)),
      mailbox_(std::make_shared<Mailbox>()),
      random_(std::random_device{}()) {
  for (const WatchedKind kind : {WatchedKind::kNodes, WatchedKind::kPods}) {
    auto& side = sides_[static_cast<std::size_t>(kind)];
    side = std::make_unique<Side>();
    side->kind = kind;
  }
}

KubernetesWatch::~KubernetesWatch() = default;

std::vector<WatchEvent> KubernetesWatch::Next(int limit, milliseconds timeout) {
  const SteadyTime until = steady_clock::now() + timeout;
  while (ready_.empty()) {
    Proceed();
    for (const Letter& letter :
         mailbox_->Take(limit, std::min(until, NextAttempt()))) {
      if (letter.epoch == epoch_) Read(letter);
    }
    if (mailbox_->MayResume()) {
      for (const auto& side : sides_) {
        if (side->stream) side->stream->Resume();
      }
    }
    if (steady_clock::now() >= until) break;
  }
  return TakeReady(limit);
}

std::vector<WatchEvent> KubernetesWatch::TakeReady(int limit) {
  std::vector<WatchEvent> events;
  while (!ready_.empty() && std::ssize(events) < limit) {
    events.push_back(std::move(ready_.front()));
    ready_.pop_front();
  }
  return events;
}

void KubernetesWatch::Proceed() {
  const SteadyTime now = steady_clock::now();
  if (listing_) {
    if (!page_under_way_ && now >= list_at_) RequestPage();
    return;
  }
  for (const auto& side : sides_) {
    if (!side->stream && now >= side->open_at) OpenStream(*side);
  }
}

KubernetesWatch::SteadyTime KubernetesWatch::NextAttempt() const {
  SteadyTime next = SteadyTime::max();
  if (listing_) return page_under_way_ ? next : list_at_;
  for (const auto& side : sides_) {
    if (!side->stream) next = std::min(next, side->open_at);
  }
  return next;
}

void KubernetesWatch::RequestPage() {
  HttpRequest request;
  request.path = PathOf(listed_kind_);
  request.path += "?limit=" + std::to_string(options_.page);
  if (!continuation_.empty()) {
    request.path += "&continue=" + PercentEncode(continuation_);
  }
  request.once = true;
  page_under_way_ = true;
  client_.Start(std::move(request), [mailbox = mailbox_, epoch = epoch_,
                                     kind = listed_kind_](HttpResponse it) {
    mailbox->Put({Letter::Content::kPage, epoch, kind, {}, std::move(it)});
  });
}

void KubernetesWatch::OpenStream(Side& side) {
  std::uniform_int_distribution<std::int64_t> length(
      (options_.length.count() + 1) / 2, options_.length.count());
  std::string path = PathOf(side.kind);
  path += "?watch=true&allowWatchBookmarks=true&resourceVersion=" +
          PercentEncode(side.version) +
          "&timeoutSeconds=" + std::to_string(length(random_));
  side.reader = std::make_unique<LineReader>(*mailbox_, side.kind, epoch_);
  side.stream = client_.Open(std::move(path), options_.silence, *side.reader);
}

void KubernetesWatch::Read(const Letter& letter) {
  Side& side = *sides_[static_cast<std::size_t>(letter.kind)];
  switch (letter.content) {
    case Letter::Content::kPage:
      ReadPage(letter.response);
      return;
    case Letter::Content::kLine:
      ReadLine(side, letter.line);
      return;
    case Letter::Content::kEnd:
      ReadEnd(side, letter.response);
      return;
  }
}

void KubernetesWatch::ReadPage(const HttpResponse& response) {
  page_under_way_ = false;
  if (response.status == kGone) return RelistLater();
  ListPage page;
  if (response.status == 200) page = ReadListPage(listed_kind_, response.body);
  if (!page.readable) {
    Trouble("listing", response);
    milliseconds wait = Backoff(list_failures_++);
    if (response.retry_after) wait = *response.retry_after;
    list_at_ = steady_clock::now() + wait;
    return;
  }
  if (!std::exchange(begun_, true)) {
    ready_.push_back({WatchEvent::Kind::kListBegin, {}});
  }
  if (continuation_.empty()) {
    sides_[static_cast<std::size_t>(listed_kind_)]->version =
        page.resource_version;
  }
  std::ranges::move(page.changes, std::back_inserter(ready_));
  continuation_ = std::move(page.continuation);
  if (!continuation_.empty()) return;
  if (listed_kind_ == WatchedKind::kNodes) {
    listed_kind_ = WatchedKind::kPods;
    return;
  }
  listing_ = false;
  ready_.push_back({WatchEvent::Kind::kListEnd, {}});
  NoTrouble();
}

void KubernetesWatch::ReadLine(Side& side, std::string_view line) {
  WatchLine read = ReadWatchLine(side.kind, line);
  switch (read.type) {
    case WatchLine::Type::kError:
      if (read.code == kGone) return Relist();
      return RelistLater();
    case WatchLine::Type::kUnreadable:
      return RelistLater();
    case WatchLine::Type::kEvent:
      ready_.push_back(std::move(read.event));
      break;
    case WatchLine::Type::kBookmark:
      break;
  }
  if (std::exchange(side.failures, 0) > 0) NoTrouble();
  list_failures_ = 0;
  if (!read.resource_version.empty()) {
    side.version = std::move(read.resource_version);
  }
}

void KubernetesWatch::ReadEnd(Side& side, const HttpResponse& response) {
  side.stream.reset();
  side.reader.reset();
  if (response.status == kGone) return Relist();
  // Another cluster than the one whose version we have.
  if (response.body.find("Too large resource version") != std::string::npos) {
    return RelistLater();
  }
  if (response.status != 200) Trouble("watching", response);
  // A stream that had begun comes back at once, if it is not the second time.
  const bool at_once = response.status == 200 && side.failures == 0;
  milliseconds wait = at_once ? milliseconds(0) : Backoff(side.failures);
  if (response.retry_after) wait = *response.retry_after;
  ++side.failures;
  side.open_at = steady_clock::now() + wait;
}

void KubernetesWatch::Trouble(const std::string& of,
                              const HttpResponse& response) {
  std::string why = of + " the cluster: ";
  if (response.status == 0) {
    why += response.error;
  } else {
    why += std::to_string(response.status) + " " +
           ReadStatusMessage(response.body);
  }
  if (trouble_ == why) return;
  trouble_ = std::move(why);
  if (options_.on_trouble) options_.on_trouble(trouble_);
}

void KubernetesWatch::NoTrouble() {
  if (trouble_.empty()) return;
  trouble_.clear();
  if (options_.on_trouble) options_.on_trouble("");
}

void KubernetesWatch::Relist() {
  ++epoch_;
  for (const auto& side : sides_) {
    side->stream.reset();
    side->reader.reset();
    side->failures = 0;
    side->open_at = {};
  }
  listing_ = true;
  begun_ = false;
  page_under_way_ = false;
  listed_kind_ = WatchedKind::kNodes;
  continuation_.clear();
  list_at_ = steady_clock::now();
}

void KubernetesWatch::RelistLater() {
  Relist();
  list_at_ += Backoff(list_failures_++);
}

milliseconds KubernetesWatch::Backoff(int failures) {
  const milliseconds whole =
      std::min(options_.longest_backoff,
               options_.first_backoff * (1 << std::min(failures, 16)));
  return milliseconds(std::uniform_int_distribution<milliseconds::rep>(
      whole.count() / 2, whole.count())(random_));
}

}  // namespace fluxnetes::cluster

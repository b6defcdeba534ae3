#include "cluster/kubernetes/kind_watch.h"

#include <algorithm>
#include <utility>

#include "cluster/json/watch_line.h"
#include "cluster/protobuf/envelope.h"

namespace fluxnetes::cluster {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr int kGone = 410;
constexpr int kForbidden = 403;
constexpr int kNotFound = 404;
constexpr int kNoSuchMethod = 405;
// An optional kind is passed over after this many failures of its own.
constexpr int kMostFailures = 4;
constexpr std::chrono::seconds kFirstAskAgain{1};

std::string Describe(const HttpResponse& response) {
  if (response.status == 0) return response.error;
  return std::to_string(response.status) + " " +
         ReadStatusMessage(response.body);
}

}  // namespace

milliseconds KindWatchContext::Jitter(milliseconds whole) {
  return milliseconds(std::uniform_int_distribution<milliseconds::rep>(
      whole.count() / 2, whole.count())(random));
}

milliseconds KindWatchContext::Backoff(int failures) {
  return Jitter(
      std::min(options.longest_backoff,
               options.first_backoff * (1 << std::min(failures, 16))));
}

void KindWatchContext::Trouble(std::string why) {
  if (trouble == why) return;
  trouble = std::move(why);
  if (options.on_trouble) options.on_trouble(trouble);
}

void KindWatchContext::NoTrouble() {
  if (trouble.empty()) return;
  trouble.clear();
  if (options.on_trouble) options.on_trouble("");
}

class KindWatch::LineReader final : public StreamReader {
 public:
  LineReader(WatchMailbox& mailbox, WatchedKind kind, int epoch)
      : mailbox_(mailbox), kind_(kind), epoch_(epoch) {}

  bool Ready() override { return mailbox_.HasRoom(); }
  void Line(std::string_view line) override {
    mailbox_.Put(
        {WatchLetter::Content::kLine, kind_, epoch_, std::string(line), {}});
  }
  void Frame(std::string_view frame) override {
    mailbox_.Put(
        {WatchLetter::Content::kFrame, kind_, epoch_, std::string(frame), {}});
  }
  void End(HttpResponse response) override {
    mailbox_.Put(
        {WatchLetter::Content::kEnd, kind_, epoch_, {}, std::move(response)});
  }

 private:
  WatchMailbox& mailbox_;
  const WatchedKind kind_;
  const int epoch_;
};

KindWatch::KindWatch(WatchedKind kind, KindWatchContext& context)
    : resource_(ResourceOf(kind)),
      context_(context),
      protobuf_(context.options.protobuf && IsReadInProtobuf(kind)),
      streams_lists_(context.options.stream_lists) {}

KindWatch::~KindWatch() = default;

const char* KindWatch::Path() const { return resource_.paths[path_]; }

void KindWatch::CloseStream() {
  stream_.reset();
  reader_.reset();
}

void KindWatch::Reset() {
  ++epoch_;
  CloseStream();
  state_ = State::kWaiting;
  lost_cluster_ = false;
}

void KindWatch::List(milliseconds wait) {
  Reset();
  state_ = State::kListing;
  path_ = 0;
  failures_ = 0;
  continuation_.clear();
  begun_ = false;
  page_under_way_ = false;
  next_at_ = steady_clock::now() + wait;
}

void KindWatch::ListLater() { List(context_.Backoff(list_failures_++)); }

void KindWatch::Resume() {
  if (stream_) stream_->Resume();
}

void KindWatch::Proceed(SteadyTime now) {
  if (now < NextAttempt()) return;
  if (state_ == State::kPassedOver) List(milliseconds(0));
  if (state_ == State::kListing) return BeginList();
  OpenStream(/*with_list=*/false);
}

KindWatch::SteadyTime KindWatch::NextAttempt() const {
  const bool idle = state_ == State::kWaiting || page_under_way_ || stream_;
  return idle ? SteadyTime::max() : next_at_;
}

void KindWatch::BeginList() {
  if (context_.options.tally && continuation_.empty())
    context_.options.tally->Lists(resource_.kind);
  if (streams_lists_) return OpenStream(/*with_list=*/true);
  RequestPage();
}

void KindWatch::RequestPage() {
  HttpRequest request;
  request.path =
      std::string(Path()) + "?limit=" + std::to_string(context_.options.page);
  if (!continuation_.empty()) {
    request.path += "&continue=" + PercentEncode(continuation_);
  }
  request.accept = Accept("");
  request.once = true;
  page_under_way_ = true;
  context_.client.Start(std::move(request), [mailbox = context_.mailbox,
                                             epoch = epoch_,
                                             kind = resource_.kind](
                                                HttpResponse it) {
    mailbox->Put({WatchLetter::Content::kPage, kind, epoch, {}, std::move(it)});
  });
}

void KindWatch::OpenStream(bool with_list) {
  if (context_.options.tally) context_.options.tally->Streams(resource_.kind);
  const auto length = std::chrono::ceil<std::chrono::seconds>(
      context_.Jitter(context_.options.length));
  std::string path = Path();
  path += "?watch=true&allowWatchBookmarks=true&timeoutSeconds=" +
          std::to_string(length.count());
  if (with_list) {
    path += "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan";
  } else {
    path += "&resourceVersion=" + PercentEncode(version_);
  }
  reader_ =
      std::make_unique<LineReader>(*context_.mailbox, resource_.kind, epoch_);
  stream_ = context_.client.Open(std::move(path), context_.options.silence,
                                 *reader_, Accept(";stream=watch"));
}

std::string KindWatch::Accept(const char* parameter) const {
  const std::string json = "application/json";
  return protobuf_ ? kProtobufType + std::string(parameter) + ", " + json
                   : json;
}

void KindWatch::Read(const WatchLetter& letter) {
  if (letter.epoch != epoch_) return;
  switch (letter.content) {
    case WatchLetter::Content::kPage:
      ReadPage(letter.response);
      return;
    case WatchLetter::Content::kLine:
      ReadLine(ReadWatchLine(resource_.kind, letter.line, &context_.common));
      return;
    case WatchLetter::Content::kFrame: {
      WatchLine frame =
          ReadWatchFrame(resource_.kind, letter.line, &context_.common);
      if (frame.type == WatchLine::Type::kUnreadable) protobuf_ = false;
      ReadLine(std::move(frame));
      return;
    }
    case WatchLetter::Content::kEnd:
      ReadEnd(letter.response);
      return;
  }
}

void KindWatch::Tell(WatchEvent::Kind kind) {
  context_.ready.push_back({.kind = kind, .listed = resource_.kind});
}

void KindWatch::ReadPage(const HttpResponse& response) {
  page_under_way_ = false;
  if (response.status == kGone) return ListLater();
  ListPage page;
  if (response.status == 200)
    page = ReadListPage(resource_.kind, response.body, &context_.common);
  if (!page.readable) {
    if (response.status == 200 && IsProtobuf(response.body)) protobuf_ = false;
    return FailToList(response);
  }
  if (!std::exchange(begun_, true)) Tell(WatchEvent::Kind::kListBegin);
  if (continuation_.empty()) version_ = page.resource_version;
  std::ranges::move(page.changes, std::back_inserter(context_.ready));
  continuation_ = std::move(page.continuation);
  if (!continuation_.empty()) return;
  EndList(std::move(version_));
}

void KindWatch::EndList(std::string version) {
  Tell(WatchEvent::Kind::kListEnd);
  version_ = std::move(version);
  served_ = true;
  times_passed_over_ = 0;
  passed_over_.clear();
  state_ = State::kWatching;
  context_.NoTrouble();
}

void KindWatch::FailToList(const HttpResponse& response) {
  if (resource_.optional) {
    const bool not_served =
        response.status == kNotFound || response.status == kNoSuchMethod;
    if (not_served && TryNextPath()) return;
    if (not_served) return PassOver("");
    const bool our_own =
        response.status == kForbidden ||
        (response.status != 0 && response.status != 429 &&
         response.status != 401 && list_failures_ + 1 >= kMostFailures);
    if (our_own) return PassOver(Describe(response));
  }
  context_.Trouble("listing the cluster: " + Describe(response));
  if (streams_lists_) begun_ = false;  // the next stream sends everything again
  milliseconds wait = context_.Backoff(list_failures_++);
  if (response.retry_after) wait = *response.retry_after;
  next_at_ = steady_clock::now() + wait;
}

bool KindWatch::TryNextPath() {
  if (begun_ || path_ + 1 == resource_.paths.size()) return false;
  ++path_;
  return true;
}

void KindWatch::PassOver(const std::string& why) {
  const bool none = why.empty() && std::exchange(served_, false);
  if (none) {
    Tell(WatchEvent::Kind::kListBegin);
    Tell(WatchEvent::Kind::kListEnd);
  }
  ++epoch_;
  state_ = State::kPassedOver;
  list_failures_ = 0;
  const milliseconds wait = std::min<milliseconds>(
      context_.options.ask_again,
      kFirstAskAgain * (1 << std::min(times_passed_over_++, 16)));
  next_at_ = steady_clock::now() + context_.Jitter(wait);
  if (why == passed_over_) return;
  passed_over_ = why;
  if (!why.empty() && context_.options.on_passed_over) {
    context_.options.on_passed_over(std::string(resource_.name) +
                                    " cannot be read: " + why);
  }
}

void KindWatch::ReadListedLine(WatchLine line) {
  if (line.type == WatchLine::Type::kUnreadable ||
      line.type == WatchLine::Type::kError) {
    return ListLater();
  }
  if (!std::exchange(begun_, true)) Tell(WatchEvent::Kind::kListBegin);
  if (line.type == WatchLine::Type::kEvent) {
    context_.ready.push_back(std::move(line.event));
  }
  if (line.ends_list) EndList(std::move(line.resource_version));
}

void KindWatch::ReadLine(WatchLine read) {
  if (state_ == State::kListing) return ReadListedLine(std::move(read));
  switch (read.type) {
    case WatchLine::Type::kError:
      if (read.code == kGone) return List(milliseconds(0));
      return ListLater();
    case WatchLine::Type::kUnreadable:
      return ListLater();
    case WatchLine::Type::kEvent:
      context_.ready.push_back(std::move(read.event));
      break;
    case WatchLine::Type::kBookmark:
      break;
  }
  if (std::exchange(failures_, 0) > 0) context_.NoTrouble();
  list_failures_ = 0;
  if (!read.resource_version.empty())
    version_ = std::move(read.resource_version);
}

// True for the answer of a server without streaming lists, or with them off.
bool KindWatch::FallBackToPages(const HttpResponse& response) {
  const int status = response.status;
  if (begun_ || (status != 400 && status != 422)) return false;
  streams_lists_ = false;
  return true;
}

void KindWatch::ReadEnd(const HttpResponse& response) {
  CloseStream();
  if (state_ == State::kListing) {
    if (FallBackToPages(response)) return;
    if (response.status == kGone) return ListLater();
    return FailToList(response);
  }
  if (response.status == kGone) return List(milliseconds(0));
  if (response.body.find("Too large resource version") != std::string::npos) {
    lost_cluster_ = true;
    return;
  }
  const bool taken_away =
      response.status == kNotFound || response.status == kForbidden;
  if (resource_.optional && taken_away) return List(milliseconds(0));
  if (response.status != 200) {
    context_.Trouble("watching the cluster: " + Describe(response));
  }
  // A stream that had begun is reopened at once, unless the previous one
  // delivered nothing.
  const bool at_once = response.status == 200 && failures_ == 0;
  milliseconds wait = at_once ? milliseconds(0) : context_.Backoff(failures_);
  if (response.retry_after) wait = *response.retry_after;
  ++failures_;
  next_at_ = steady_clock::now() + wait;
}

}  // namespace fluxnetes::cluster

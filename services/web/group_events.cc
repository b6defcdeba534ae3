#include "services/web/group_events.h"

#include <fmt/format.h>
#include <google/protobuf/util/json_util.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/codegen/proto_utils.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <optional>

#include "fluxnetes/v1/scheduler.pb.h"
#include "services/grpc/grpc_calls.h"
#include "services/web_http/web_message.h"

namespace fluxnetes::services {
namespace {

using std::chrono::steady_clock;

constexpr std::size_t kTextsKept = 32;
constexpr std::chrono::seconds kBetweenComments{15};

std::string EventOf(const grpc::ByteBuffer& piece) {
  v1::WatchGroupsResponse response;
  grpc::ByteBuffer bytes = piece;
  const grpc::Status read =
      grpc::SerializationTraits<v1::WatchGroupsResponse>::Deserialize(
          &bytes, &response);
  if (!read.ok()) throw std::runtime_error("the feed's piece cannot be read");
  const std::string token = response.resume_token();
  response.clear_resume_token();
  std::string json;
  if (!google::protobuf::util::MessageToJsonString(response, &json).ok())
    throw std::runtime_error("the feed's piece cannot be written as JSON");
  const std::string id = token.empty() ? "" : fmt::format("id: {}\n", token);
  return fmt::format("event: changes\n{}data: {}\n\n", id, json);
}

// Calls `take` with each word between commas.
template <typename Take>
void ForEachWord(const std::string& text, Take take) {
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    take(text.substr(from, comma - from));
    from = comma + 1;
  }
}

GrpcRefusal WrongWord(const char* field, const std::string& word,
                      const char* right) {
  return {GrpcCode::kInvalidArgument,
          fmt::format("{} has \"{}\"; right would be {}", field, word, right),
          field};
}

}  // namespace

v1::WatchGroupsRequest WatchIn(const WebRequest& request) {
  v1::WatchGroupsRequest watch;
  watch.set_namespace_(request.Query("namespace"));
  watch.set_queue(request.Query("queue"));
  watch.set_search(request.Query("search"));
  watch.set_node(request.Query("node"));
  watch.set_account(request.Query("account"));
  watch.set_only_changes(request.Query("present") == "false");
  const std::string last = request.Header("last-event-id");
  watch.set_resume_token(last.empty() ? request.Query("after") : last);
  ForEachWord(request.Query("ids"), [&watch](const std::string& word) {
    std::int64_t id = 0;
    const char* const end = word.data() + word.size();
    const auto [at, error] = std::from_chars(word.data(), end, id);
    if (error != std::errc() || at != end)
      throw WrongWord("ids", word, "ids of groups, parted by commas");
    watch.add_ids(id);
  });
  ForEachWord(request.Query("states"), [&watch](const std::string& word) {
    v1::GroupState state{};
    if (!v1::GroupState_Parse(word, &state))
      throw WrongWord("states", word, "states such as GROUP_STATE_PENDING");
    watch.add_states(state);
  });
  return watch;
}

// One open stream. Held by the stream's callback; the feed knows it weakly.
class GroupEvents::Reader : public std::enable_shared_from_this<Reader> {
 public:
  Reader(GroupEvents& events, GroupFeed::Place place,
         std::function<bool()> is_let_in)
      : events_(events),
        is_let_in_(std::move(is_let_in)),
        place_(std::move(place)) {}

  ~Reader() {
    if (watcher_) events_.feed_.Leave(*watcher_);
  }

  // Returns null if there are too many watchers.
  std::shared_ptr<WebStream> Open() {
    auto self = shared_from_this();
    auto stream = std::make_shared<WebStream>([self] { self->Wake(); });
    stream_ = stream;
    watcher_ =
        events_.feed_.Join([weak = weak_from_this(), posted = posted_,
                            &events = events_] { Post(weak, posted, events); });
    if (!watcher_) return nullptr;
    Wake();
    return stream;
  }

 private:
  using Flag = std::shared_ptr<std::atomic<bool>>;  // outlives the reader

  void Wake() { Post(weak_from_this(), posted_, events_); }

  // Does not lock `weak`: the last reference must not end on the feed's thread,
  // which holds the mutex that Leave() needs.
  static void Post(const std::weak_ptr<Reader>& weak, const Flag& posted,
                   GroupEvents& events) {
    if (posted->exchange(true)) return;
    const bool taken = events.threads_.Post([weak, posted] {
      *posted = false;
      if (const auto reader = weak.lock()) reader->GoOn();
    });
    if (!taken) *posted = false;  // the next ring tries again
  }

  void GoOn() EXCLUDES(mutex_) {
    const auto stream = stream_.lock();
    if (!stream || stream->HasEnded() || !stream->IsTaken()) return;
    const sql::MutexLock lock(mutex_);
    try {
      if (!is_let_in_()) {
        stream->End();
        return;
      }
      Next(*stream);
    } catch (const std::exception&) {
      // The database is away: the browser comes back, and is told so.
      stream->End();
    }
  }

  void Next(WebStream& stream) REQUIRES(mutex_) {
    GroupFeed::Piece piece;
    const auto now = steady_clock::now();
    switch (events_.feed_.Next(place_, piece)) {
      case GroupFeed::Outcome::kPiece:
        stream.Add(events_.TextOf(piece));
        said_ = now;
        break;
      case GroupFeed::Outcome::kNothingNew: {
        static const auto kComment =
            std::make_shared<const std::string>(":\n\n");
        if (now - said_ < kBetweenComments) break;
        stream.Add(kComment);
        said_ = now;
        break;
      }
      case GroupFeed::Outcome::kFellBehind:
      case GroupFeed::Outcome::kStopped:
        stream.End();  // the browser comes back with its last id
        break;
    }
  }

  GroupEvents& events_;
  const std::function<bool()> is_let_in_;
  const Flag posted_ = std::make_shared<std::atomic<bool>>(false);
  std::weak_ptr<WebStream> stream_;      // set by Open()
  std::optional<std::int64_t> watcher_;  // set by Open()
  sql::Mutex mutex_;
  GroupFeed::Place place_ GUARDED_BY(mutex_);
  steady_clock::time_point said_ GUARDED_BY(mutex_) = steady_clock::now();
};

std::shared_ptr<WebStream> GroupEvents::Watch(GroupFeed::Place place,
                                              std::function<bool()> is_let_in) {
  return std::make_shared<Reader>(*this, std::move(place), std::move(is_let_in))
      ->Open();
}

GroupEvents::Text GroupEvents::TextOf(const GroupFeed::Piece& piece) {
  {
    const sql::MutexLock lock(mutex_);
    for (const auto& [known, text] : made_)
      if (known == piece) return text;
  }
  auto text = std::make_shared<const std::string>(EventOf(*piece));
  const sql::MutexLock lock(mutex_);
  made_.emplace_back(piece, text);
  if (made_.size() > kTextsKept) made_.pop_front();
  return text;
}

}  // namespace fluxnetes::services

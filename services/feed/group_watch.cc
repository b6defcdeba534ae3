#include "services/feed/group_watch.h"

#include <fmt/format.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/codegen/proto_utils.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "fluxnetes/v1/scheduler.pb.h"
#include "services/feed/group_requests.h"
#include "services/grpc/grpc_calls.h"
#include "sql/mutex.h"

namespace fluxnetes::services {
namespace {

using std::chrono::steady_clock;

constexpr int kLargestWindow = 1'000;

// gRPC calls OnWriteDone, OnCancel and OnDone on its threads, the feed calls
// Rung on its own. There is at most one write at a time and one Finish, and
// gRPC is never called with the mutex held.
class GroupWatch : public grpc::ServerWriteReactor<grpc::ByteBuffer> {
 public:
  GroupWatch(GroupFeed& feed, grpc::CallbackServerContext& context,
             GroupFeed::Place place)
      : feed_(feed), context_(context), place_(std::move(place)) {
    watcher_ = feed_.Join([this] { Rung(); });
    if (!watcher_) {
      finishing_ = true;
      Finish({grpc::StatusCode::RESOURCE_EXHAUSTED,
              "too many watch already; try again later"});
      return;
    }
    GoOn();
  }

  void OnWriteDone(bool ok) override {
    {
      const sql::MutexLock lock(mutex_);
      writing_ = false;
      if (!ok) cancelled_ = true;
    }
    GoOn();
  }

  void OnCancel() override {
    {
      const sql::MutexLock lock(mutex_);
      cancelled_ = true;
    }
    GoOn();
  }

  void OnDone() override {
    if (watcher_) feed_.Leave(*watcher_);
    delete this;
  }

 private:
  void Rung() {
    bool slow = false;
    {
      const sql::MutexLock lock(mutex_);
      slow = writing_ && steady_clock::now() - began_ > feed_.options().slowest;
    }
    if (slow) context_.TryCancel();
    GoOn();
  }

  // Writes the next piece, or finishes; does nothing while a write is under
  // way.
  void GoOn() {
    GroupFeed::Piece piece;
    grpc::Status status = grpc::Status::CANCELLED;
    {
      const sql::MutexLock lock(mutex_);
      if (writing_ || finishing_) return;
      if (!cancelled_) {
        switch (feed_.Next(place_, piece)) {
          case GroupFeed::Outcome::kNothingNew:
            return;
          case GroupFeed::Outcome::kPiece:
            break;
          case GroupFeed::Outcome::kFellBehind:
            status = {grpc::StatusCode::RESOURCE_EXHAUSTED,
                      "read too slowly: more has changed than is remembered; "
                      "watch anew"};
            break;
          case GroupFeed::Outcome::kStopped:
            status = {grpc::StatusCode::UNAVAILABLE,
                      "the server stops; watch anew"};
            break;
        }
      }
      if (piece) {
        writing_ = true;
        began_ = steady_clock::now();
        buffer_ = *piece;
      } else {
        finishing_ = true;
      }
    }
    if (piece) {
      StartWrite(&buffer_);
    } else {
      Finish(status);
    }
  }

  GroupFeed& feed_;
  grpc::CallbackServerContext& context_;
  std::optional<std::int64_t> watcher_;  // constant after construction
  // Belongs to gRPC while writing_; to whoever has set that until StartWrite().
  grpc::ByteBuffer buffer_;

  sql::Mutex mutex_;
  GroupFeed::Place place_ GUARDED_BY(mutex_);
  bool writing_ GUARDED_BY(mutex_) = false;
  bool cancelled_ GUARDED_BY(mutex_) = false;
  bool finishing_ GUARDED_BY(mutex_) = false;
  steady_clock::time_point began_ GUARDED_BY(mutex_);
};

class Refused : public grpc::ServerWriteReactor<grpc::ByteBuffer> {
 public:
  explicit Refused(const grpc::Status& status) { Finish(status); }
  void OnDone() override { delete this; }
};

}  // namespace

GroupFeed::Place PlaceOf(const v1::WatchGroupsRequest& request) {
  if (request.ids_size() > kLargestWindow)
    throw GrpcRefusal(GrpcCode::kInvalidArgument,
                      fmt::format("ids has {} groups; right would be at most "
                                  "{}",
                                  request.ids_size(), kLargestWindow),
                      "ids");
  GroupFeed::Place place;
  place.query = QueryIn(request);
  place.window.assign(request.ids().begin(), request.ids().end());
  std::ranges::sort(place.window);
  // A watch without a window is for all of a namespace and queue.
  if (place.window.empty()) {
    place.query = {.namespace_name = request.namespace_(),
                   .queue = request.queue()};
  }
  place.resume = request.resume_token();
  place.only_changes = request.only_changes();
  return place;
}

grpc::ServerWriteReactor<grpc::ByteBuffer>* StartGroupWatch(
    GroupFeed& feed, grpc::CallbackServerContext& context,
    const grpc::ByteBuffer& request) {
  v1::WatchGroupsRequest parsed;
  grpc::ByteBuffer bytes = request;
  const grpc::Status read =
      grpc::SerializationTraits<v1::WatchGroupsRequest>::Deserialize(&bytes,
                                                                     &parsed);
  if (!read.ok()) {
    return new Refused({grpc::StatusCode::INVALID_ARGUMENT,
                        "the request is no WatchGroupsRequest"});
  }
  try {
    return new GroupWatch(feed, context, PlaceOf(parsed));
  } catch (const GrpcRefusal& refusal) {
    return new Refused(StatusOf(refusal));
  }
}

}  // namespace fluxnetes::services

#include "queue/runner/fetcher.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "queue/runner/fetcher_queries.h"
#include "sql/connection/transaction.h"
#include "sql/error.h"

namespace fluxnetes::queue {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kBatch = 1'000;
// How long slots that become free one by one are gathered for one lease.
constexpr milliseconds kGather{1};
// When to lease again after a batch that was not full: other clients may just
// have locked the jobs that it skipped.
constexpr milliseconds kLookAgain{20};
constexpr milliseconds kLongestBackOff{2'000};
constexpr seconds kCheck{30};
// How long a statement may still run after its client is gone.
constexpr seconds kDoubt{120};
constexpr seconds kCheckInDoubt{1};

}  // namespace

Fetcher::Fetcher(WorkQueue& queue, sql::Pool& pool, const Client& client,
                 RunningJobs& running, FetcherOptions options,
                 OnLeased on_leased, OnFailure on_failure)
    : queue_(queue),
      pool_(pool),
      client_(client),
      running_(running),
      options_(std::move(options)),
      on_leased_(std::move(on_leased)),
      on_failure_(std::move(on_failure)) {
  for (const std::string& name : options_.queues)
    queues_.push_back({.name = name});
}

Fetcher::~Fetcher() { Stop(); }

void Fetcher::Start() {
  check_at_ = std::chrono::steady_clock::now() + kCheck;
  thread_ = std::thread([this] { Loop(); });
}

void Fetcher::Stop() {
  {
    const sql::MutexLock lock(mutex_);
    stopping_ = true;
  }
  changed_.NotifyAll();
  if (thread_.joinable()) thread_.join();
}

void Fetcher::Wake(const std::string& queue) {
  const sql::MutexLock lock(mutex_);
  for (Queue& one : queues_)
    if (queue.empty() || queue == one.name) one.due = {};
  changed_.NotifyAll();
}

void Fetcher::WakeForRoom() {
  const sql::MutexLock lock(mutex_);
  changed_.NotifyAll();
}

void Fetcher::Loop() {
  sql::MutexLock lock(mutex_);
  while (!stopping_) {
    const Moment rested = std::chrono::steady_clock::now() + back_off_;
    while (back_off_.count() > 0 && !stopping_ &&
           changed_.WaitUntil(mutex_, rested)) {
    }
    if (stopping_) return;
    const Moment now = std::chrono::steady_clock::now();
    Moment next = check_at_;
    if (now >= check_at_) {
      lock.Unlock();
      GiveBackUnknown();
      lock.Lock();
    } else if (Queue* const queue = Choose(now, next)) {
      const std::string name = queue->name;
      BeginLook(*queue);
      lock.Unlock();
      const Leased leased = Lease(name);
      lock.Lock();
      EndLook(*queue, leased);
    } else {
      changed_.WaitUntil(mutex_, next);
    }
  }
}

Fetcher::Queue* Fetcher::Choose(Moment now, Moment& next) {
  for (std::size_t i = 0; i < queues_.size(); ++i) {
    Queue& queue = queues_[(turn_ + i) % queues_.size()];
    const int free = running_.Free(queue.name);
    if (free <= 0) continue;  // WakeForRoom() wakes us
    Moment due = queue.due;
    if (queue.is_full && 2 * free < running_.Slots(queue.name)) {
      if (queue.room_since == Moment::max()) queue.room_since = now;
      due = std::max(due, queue.room_since + kGather);
    }
    if (due <= now) {
      turn_ = (turn_ + i + 1) % queues_.size();
      return &queue;
    }
    next = std::min(next, due);
  }
  return nullptr;
}

void Fetcher::BeginLook(Queue& queue) const {
  queue.due = std::chrono::steady_clock::now() + options_.poll;
  queue.is_full = false;
  queue.room_since = Moment::max();
}

Fetcher::Leased Fetcher::Lease(const std::string& queue) {
  Leased leased = {.limit = std::min(running_.Free(queue), kBatch)};
  try {
    std::vector<Job> jobs;
    if (leased.limit > 0)
      jobs = queue_.Lease(queue, client_.id(), leased.limit, InDoubt::kLeave);
    leased.jobs = static_cast<int>(jobs.size());
    if (leased.jobs > 0) on_leased_(running_.Add(std::move(jobs)));
    if (!failing_.empty()) on_failure_("");
    failing_.clear();
    back_off_ = milliseconds(0);
  } catch (const sql::Error& error) {
    Failed(error.what(), error.InDoubt());
  } catch (const std::exception& error) {
    Failed(error.what(), false);
  }
  return leased;
}

void Fetcher::EndLook(Queue& queue, const Leased& leased) const {
  const bool is_full = leased.jobs == leased.limit;
  if (is_full || !failing_.empty()) {
    queue.due = {};
    queue.is_full = is_full;
  } else if (leased.jobs > 0) {
    queue.due =
        std::min(queue.due, std::chrono::steady_clock::now() + kLookAgain);
  }
}

void Fetcher::GiveBackUnknown() {
  const Moment now = std::chrono::steady_clock::now();
  check_at_ = now + (now < doubtful_until_ ? kCheckInDoubt : kCheck);
  try {
    std::vector<JobResult> unknown;
    for (const sql::Row row :
         sql::RunAlone(pool_, queries::kHeldJobs, client_.id())) {
      JobResult back;
      back.id = row.Get<std::int64_t>(0);
      back.attempt = row.Get<int>(1);
      back.outcome = Outcome::kSnoozed;
      if (!running_.Knows(back.id, back.attempt))
        unknown.push_back(std::move(back));
    }
    if (!unknown.empty()) queue_.Finish(unknown);
  } catch (const sql::Error& error) {
    Failed(error.what(), error.InDoubt());
  }
}

void Fetcher::Failed(const std::string& what, bool in_doubt) {
  if (failing_ != what) on_failure_(what);
  failing_ = what;
  back_off_ = std::clamp(2 * back_off_, milliseconds(50), kLongestBackOff);
  if (!in_doubt) return;
  check_at_ = std::chrono::steady_clock::now();
  doubtful_until_ = check_at_ + kDoubt;
}

}  // namespace fluxnetes::queue

#include "cluster/kubernetes/kubernetes_watch.h"

#include <algorithm>
#include <utility>

namespace fluxnetes::cluster {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

// After this long a list counts as stable: the cluster is not being replaced.
constexpr std::chrono::minutes kSteady{1};

}  // namespace

KubernetesWatch::KubernetesWatch(HttpClient& client,
                                 KubernetesWatchOptions options)
    : context_{.client = client, .options = std::move(options)} {
  for (std::size_t i = 0; i < kWatchedKinds; ++i) {
    const WatchedKind kind = WatchedKindsInOrder()[i];
    kinds_[i] = std::make_unique<KindWatch>(kind, context_);
    place_[Number(kind)] = i;
  }
  ListAll(milliseconds(0));
}

KubernetesWatch::~KubernetesWatch() = default;

std::vector<WatchEvent> KubernetesWatch::Next(int limit, milliseconds timeout) {
  const auto until = steady_clock::now() + timeout;
  while (context_.ready.empty()) {
    Proceed();
    for (const WatchLetter& letter :
         context_.mailbox->Take(limit, std::min(until, NextAttempt()))) {
      kinds_[place_[Number(letter.kind)]]->Read(letter);
    }
    ListOn();
    if (context_.mailbox->MayResume()) {
      for (const auto& kind : kinds_) kind->Resume();
    }
    if (steady_clock::now() >= until) break;
  }
  return TakeReady(limit);
}

std::vector<WatchEvent> KubernetesWatch::TakeReady(int limit) {
  std::vector<WatchEvent> events;
  std::deque<WatchEvent>& ready = context_.ready;
  while (!ready.empty() && std::ssize(events) < limit) {
    events.push_back(std::move(ready.front()));
    ready.pop_front();
  }
  return events;
}

void KubernetesWatch::Proceed() {
  const auto now = steady_clock::now();
  if (std::ranges::any_of(
          kinds_, [](const auto& kind) { return kind->HasLostTheCluster(); })) {
    if (now - list_at_ > kSteady) lists_ = 0;
    ListAll(context_.Backoff(lists_++));
  }
  for (const auto& kind : kinds_) kind->Proceed(now);
}

KindWatch::SteadyTime KubernetesWatch::NextAttempt() const {
  auto next = KindWatch::SteadyTime::max();
  for (const auto& kind : kinds_) next = std::min(next, kind->NextAttempt());
  return next;
}

void KubernetesWatch::ListAll(milliseconds wait) {
  for (const auto& kind : kinds_) kind->Reset();
  listing_ = true;
  begun_ = false;
  lists_pods_ = false;
  list_at_ = steady_clock::now() + wait;
  for (const auto& kind : Others()) kind->List(wait);
}

std::span<const std::unique_ptr<KindWatch>> KubernetesWatch::Others() const {
  return std::span(kinds_).first(kWatchedKinds - 1);
}

void KubernetesWatch::ListOn() {
  if (!listing_) return;
  const auto is_listed = [](const auto& kind) { return kind->IsListed(); };
  if (!begun_ &&
      (!context_.ready.empty() || std::ranges::any_of(Others(), is_listed))) {
    context_.ready.push_front({WatchEvent::Kind::kListBegin});
    begun_ = true;
  }
  if (!std::ranges::all_of(Others(), is_listed)) return;
  if (!std::exchange(lists_pods_, true)) kinds_.back()->List(milliseconds(0));
  if (!is_listed(kinds_.back())) return;
  listing_ = false;
  context_.ready.push_back({WatchEvent::Kind::kListEnd});
}

}  // namespace fluxnetes::cluster

#include "workers/loops/loop.h"

#include <algorithm>
#include <exception>
#include <random>
#include <utility>

namespace fluxnetes::workers {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using std::chrono::system_clock;

namespace {

template <typename Clock>
std::int64_t NowOf() {
  return std::chrono::nanoseconds(Clock::now().time_since_epoch()).count();
}

template <typename Clock>
std::optional<typename Clock::time_point> PointOf(std::int64_t ticks) {
  if (ticks == 0) return std::nullopt;
  return typename Clock::time_point(
      std::chrono::duration_cast<typename Clock::duration>(
          std::chrono::nanoseconds(ticks)));
}

std::optional<LoopCounts::Clock::duration> TimeOf(std::int64_t nanoseconds) {
  if (nanoseconds < 0) return std::nullopt;
  return std::chrono::nanoseconds(nanoseconds);
}

}  // namespace

Loop::Loop(LoopOptions options, Step step, OnFailure on_failure)
    : options_(std::move(options)),
      step_(std::move(step)),
      on_failure_(std::move(on_failure)) {}

Loop::~Loop() { Stop(); }

void Loop::Start() {
  thread_ = std::thread([this] { Run(); });
}

void Loop::Ring() {
  std::int64_t none = 0;
  rang_at_.compare_exchange_strong(none, NowOf<steady_clock>());
  bell_.Ring();
}

void Loop::Stop() {
  stopping_ = true;
  bell_.Ring();
  if (thread_.joinable()) thread_.join();
}

milliseconds Loop::UntilDue(milliseconds pause) const {
  if (!options_.due_in) return pause;
  const auto due = options_.due_in();
  return due ? std::clamp(*due, milliseconds{0}, pause) : pause;
}

LoopCounts Loop::counts() const {
  LoopCounts counts;
  counts.runs = runs_.counts();
  counts.failures = failures_;
  counts.last_success = PointOf<system_clock>(last_success_);
  counts.running_since = PointOf<steady_clock>(running_since_);
  counts.failing_since = PointOf<steady_clock>(failing_since_);
  counts.took = TimeOf(took_);
  counts.lag = TimeOf(lag_);
  return counts;
}

void Loop::NoteLag(std::int64_t begin) {
  const std::int64_t rang_at = rang_at_.exchange(0);
  const std::int64_t wanted =
      rang_at != 0 ? std::min(rang_at, due_at_.load()) : due_at_.load();
  lag_ = std::max<std::int64_t>(begin - wanted, 0);
}

// Runs and measures the step; passes its exceptions on.
bool Loop::RunStep() {
  const std::int64_t begin = NowOf<steady_clock>();
  running_since_ = begin;
  NoteLag(begin);
  const auto note = [&] {
    const std::int64_t took = NowOf<steady_clock>() - begin;
    runs_.Note(std::chrono::nanoseconds(took));
    took_ = took;
    running_since_ = 0;
  };
  try {
    const bool more = step_();
    note();
    last_success_ = NowOf<system_clock>();
    failing_since_ = 0;
    return more;
  } catch (...) {
    note();
    ++failures_;
    if (failing_since_ == 0) failing_since_ = begin;
    throw;
  }
}

void Loop::Run() {
  std::minstd_rand random{std::random_device{}()};
  std::uniform_real_distribution<double> quarter(0.75, 1.25);
  std::string failing;
  milliseconds back_off{0};
  due_at_ = NowOf<steady_clock>();
  while (!stopping_) {
    const auto spread = quarter(random);
    milliseconds pause =
        std::chrono::ceil<milliseconds>(options_.interval * spread);
    try {
      pause = RunStep() ? milliseconds{0} : UntilDue(pause);
      if (!failing.empty()) on_failure_(options_.name, "");
      failing.clear();
      back_off = milliseconds{0};
    } catch (const std::exception& error) {
      if (failing != error.what()) on_failure_(options_.name, error.what());
      failing = error.what();
      back_off =
          std::clamp(back_off * 2, milliseconds{50}, options_.max_back_off);
      pause = std::chrono::ceil<milliseconds>(back_off * spread);
    }
    due_at_ = NowOf<steady_clock>() + std::chrono::nanoseconds(pause).count();
    if (pause.count() == 0 || stopping_) continue;
    idle_ = back_off.count() == 0;
    bell_.Wait(pause);
    idle_ = false;
  }
}

}  // namespace fluxnetes::workers

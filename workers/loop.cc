#include "workers/loop.h"

#include <algorithm>
#include <exception>
#include <random>
#include <utility>

namespace fluxnetes::workers {

using std::chrono::milliseconds;

Loop::Loop(LoopOptions options, Step step, OnFailure on_failure)
    : options_(std::move(options)),
      step_(std::move(step)),
      on_failure_(std::move(on_failure)) {}

Loop::~Loop() { Stop(); }

void Loop::Start() {
  thread_ = std::thread([this] { Run(); });
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

void Loop::Run() {
  std::minstd_rand random{std::random_device{}()};
  std::uniform_real_distribution<double> quarter(0.75, 1.25);
  std::string failing;
  milliseconds back_off{0};
  while (!stopping_) {
    const auto spread = quarter(random);
    milliseconds pause =
        std::chrono::ceil<milliseconds>(options_.interval * spread);
    try {
      pause = step_() ? milliseconds{0} : UntilDue(pause);
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
    if (pause.count() == 0 || stopping_) continue;
    idle_ = back_off.count() == 0;
    bell_.Wait(pause);
    idle_ = false;
  }
}

}  // namespace fluxnetes::workers

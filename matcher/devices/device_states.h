// What may follow when tasks take devices of one layout. In each state a
// question either has no answer, or takes certain devices and leads to a next
// state; so a search is made once for each state and question, however many
// nodes come to that state.
//
// Owned by one thread.
// Tests: tests/matcher/node_devices/node_devices_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "matcher/devices/device_layout.h"
#include "matcher/devices/device_question.h"
#include "matcher/devices/device_search.h"
#include "matcher/graph/hash_index.h"

namespace fluxnetes::matcher {

using QuestionId = std::int32_t;  // a number has one question forever

class DeviceStates {
 public:
  using StateId = std::int32_t;
  explicit DeviceStates(DeviceLayout layout)
      : layout_(std::move(layout)),
        words_of_state_(DeviceState::WordsOf(layout_)) {}

  const DeviceLayout& layout() const { return layout_; }
  std::size_t words_of_state() const { return words_of_state_; }

  StateId Find(std::span<const std::uint64_t> words);
  DeviceWords words(StateId state) const {
    const auto of = Words(state);
    return DeviceWords(of.begin(), of.end());
  }

  struct Step {
    StateId next = kNone;        // kNone: it does not fit
    std::int32_t picks = kNone;  // see picks()
  };
  Step StepFrom(StateId state, QuestionId id, const DeviceQuestion& question,
                const DeviceKinds& kinds) {
    const std::int32_t known =
        step_index_.Find(HashOf(state, id), [&](std::int32_t at) {
          return steps_[at].state == state && steps_[at].question == id;
        });
    return known >= 0 ? steps_[known].step : Search(state, id, question, kinds);
  }
  const std::vector<DevicePick>& picks(const Step& step) const {
    return picks_[step.picks];
  }

  // About how much memory the states take.
  std::size_t bytes() const { return bytes_; }
  std::int64_t searches() const { return searches_; }

 private:
  struct KnownStep {
    StateId state = 0;
    QuestionId question = 0;
    Step step;
  };
  std::span<const std::uint64_t> Words(StateId state) const {
    return std::span(words_).subspan(state * words_of_state_, words_of_state_);
  }
  static std::size_t HashOf(StateId state, QuestionId question) {
    return static_cast<std::size_t>(question) << 32 |
           static_cast<std::uint32_t>(state);
  }
  Step Search(StateId state, QuestionId id, const DeviceQuestion& question,
              const DeviceKinds& kinds);

  const DeviceLayout layout_;
  const std::size_t words_of_state_;
  int size_ = 0;
  DeviceWords words_;  // [state * words_of_state_ + word]
  HashIndex index_;    // of states
  std::vector<KnownStep> steps_;
  HashIndex step_index_;
  std::vector<std::vector<DevicePick>> picks_;
  std::size_t bytes_ = 0;
  std::int64_t searches_ = 0;
};

}  // namespace fluxnetes::matcher

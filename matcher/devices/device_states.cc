#include "matcher/devices/device_states.h"

#include <algorithm>

namespace fluxnetes::matcher {
namespace {

std::size_t HashOfState(std::span<const std::uint64_t> words) {
  std::uint64_t hash = 0x9e3779b97f4a7c15;
  for (const std::uint64_t word : words) {
    hash = (hash ^ word) * 0xff51afd7ed558ccd;
    hash ^= hash >> 32;
  }
  return hash;
}

}  // namespace

DeviceStates::StateId DeviceStates::Find(std::span<const std::uint64_t> words) {
  const std::size_t hash = HashOfState(words);
  const StateId known = index_.Find(hash, [&](StateId state) {
    return std::ranges::equal(Words(state), words);
  });
  if (known >= 0) return known;
  const StateId added = size_++;
  words_.insert(words_.end(), words.begin(), words.end());
  index_.Add(hash, added);
  bytes_ += 2 * (words.size_bytes() + sizeof(std::uint64_t));
  return added;
}

DeviceStates::Step DeviceStates::Search(StateId state, QuestionId id,
                                        const DeviceQuestion& question,
                                        const DeviceKinds& kinds) {
  ++searches_;
  DeviceFind find = FindDevices(kinds, layout_, question, words(state));
  Step step;
  if (find.found) {
    step = {Find(find.next), static_cast<std::int32_t>(picks_.size())};
    bytes_ += find.picks.size() * sizeof(DevicePick) +
              sizeof(std::vector<DevicePick>);
    picks_.push_back(std::move(find.picks));
  }
  step_index_.Add(HashOf(state, id), static_cast<std::int32_t>(steps_.size()));
  steps_.push_back({state, id, step});
  bytes_ += 2 * (sizeof(KnownStep) + sizeof(std::uint64_t));
  return step;
}

}  // namespace fluxnetes::matcher

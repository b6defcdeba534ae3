// The devices that one node can use, in the order in which a search tries them:
// by pool and slice, devices that must wait for conditions last. Nodes have the
// same layout if their devices have the same kinds and compare in the same way;
// names do not count.
//
// A *state* of a layout is what is taken of it: a bit for each device that is
// held alone; for each device that claims share, a bit and what is taken of its
// capacities; and what devices of its pools that the node cannot use take of
// their counters.
//
// Plain values.
// Tests: tests/matcher/node_devices/device_rules_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "matcher/devices/amount.h"
#include "matcher/devices/device_kinds.h"

namespace fluxnetes::matcher {

using DeviceWords = std::vector<std::uint64_t>;

struct DeviceLayout {
  struct Use {
    int counter = 0;  // of the layout
    Int128 nano = 0;
    bool operator==(const Use&) const = default;
  };
  struct Position {
    KindId kind = kNone;
    int pool = 0;
    std::vector<Use> uses = {};
    int share = kNone;    // its number among the devices that claims share
    int amounts = kNone;  // its first capacity among those of the state
    bool operator==(const Position&) const = default;
  };
  struct Pool {
    bool incomplete = false;  // some slices are not known
    bool invalid = false;     // slices contradict each other
    int first_counter = 0;
    int last_counter = 0;
    bool operator==(const Pool&) const = default;
  };

  bool IsUsable(const Position& position) const {
    const Pool& pool = pools[position.pool];
    return !pool.incomplete && !pool.invalid;
  }

  std::vector<Position> positions;
  std::vector<Pool> pools;
  std::vector<Int128> counters;  // what there is of each, in billionths
  // The values that devices have, numbered in the order of their positions;
  // kNone: it has none. [attribute][position]
  std::vector<std::vector<std::int16_t>> patterns;
  int shares = 0;
  int amounts = 0;  // capacities of shared devices

  bool operator==(const DeviceLayout&) const = default;
};

// The words of a state.
class DeviceState {
 public:
  static std::size_t WordsOf(const DeviceLayout& layout) {
    return Amounts(layout) + 2 * (layout.amounts + layout.counters.size());
  }
  DeviceState(const DeviceLayout& layout, std::span<std::uint64_t> words)
      : layout_(layout), words_(words) {}

  bool IsTaken(int position) const { return Bit(0, position); }
  void SetTaken(int position) { SetBit(0, position); }
  bool IsShared(int share) const { return Bit(Shares(layout_), share); }
  void SetShared(int share) { SetBit(Shares(layout_), share); }
  // What is taken of a capacity of a shared device.
  Int128 amount(int amount) const { return Wide(amount); }
  void AddAmount(int amount, Int128 nano) { AddWide(amount, nano); }
  // What is taken of a counter by devices that are not in the layout.
  Int128 outside(int counter) const { return Wide(layout_.amounts + counter); }
  void AddOutside(int counter, Int128 nano) {
    AddWide(layout_.amounts + counter, nano);
  }

 private:
  static std::size_t Shares(const DeviceLayout& layout) {
    return (layout.positions.size() + 63) / 64;
  }
  static std::size_t Amounts(const DeviceLayout& layout) {
    return Shares(layout) + (layout.shares + 63) / 64;
  }
  bool Bit(std::size_t from, int bit) const {
    return (words_[from + bit / 64] >> (bit % 64) & 1) != 0;
  }
  void SetBit(std::size_t from, int bit) {
    words_[from + bit / 64] |= std::uint64_t{1} << (bit % 64);
  }
  Int128 Wide(int number) const {
    const std::size_t at = Amounts(layout_) + 2 * number;
    return static_cast<Int128>(words_[at + 1]) << 64 | words_[at];
  }
  void AddWide(int number, Int128 added) {
    const std::size_t at = Amounts(layout_) + 2 * number;
    const Int128 sum = Wide(number) + added;
    words_[at] = static_cast<std::uint64_t>(sum);
    words_[at + 1] = static_cast<std::uint64_t>(sum >> 64);
  }

  const DeviceLayout& layout_;
  std::span<std::uint64_t> words_;
};

}  // namespace fluxnetes::matcher

// The candidates that a match has found below a vertex, by type, in the order
// found, and how many of them, best first, were chosen.
//
// Kept and cleared between vertices, so that a visit allocates nothing.
// Tests: tests/matcher/fluxion/matcher_test.cc,
// tests/matcher/fluxion/matcher_plain_test.cc.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "matcher/graph/resource_graph.h"

namespace fluxnetes::matcher {

// Lists up to this length are sorted as Fluxion sorts them, with equal
// candidates in arbitrary order. In longer lists equal candidates stay in the
// order found, unless they too are to be sorted.
inline constexpr std::uint64_t kMostSorted = 1'024;
inline constexpr std::uint64_t kUnlimited = std::uint64_t{1} << 31;

// An edge to a vertex that a candidate would take; kNoEdge: the entry to the
// root.
struct Choice {
  EdgeIndex edge = kNoEdge;
  std::int64_t units = 0;
  bool exclusive = false;
};

// A vertex, or a slot with the choices of its parts.
struct Candidate {
  std::int64_t score = 0;
  std::int64_t units = 0;
  std::int32_t first = 0;  // choices [first, first + choices)
  std::int32_t choices = 0;
};

class Scoreboard {
 public:
  struct List {
    TypeId type = -1;
    std::int64_t units = 0;
    std::size_t chosen = 0;  // candidates, from the front
    std::vector<Candidate> candidates;
  };

  void Clear() { used_ = 0; }
  bool Chosen() const {
    return std::any_of(begin(), end(),
                       [](const List& list) { return list.chosen > 0; });
  }

  // The lists in order of type.
  std::vector<List>::iterator begin() { return lists_.begin(); }
  std::vector<List>::iterator end() { return lists_.begin() + used_; }
  std::vector<List>::const_iterator begin() const { return lists_.begin(); }
  std::vector<List>::const_iterator end() const {
    return lists_.begin() + used_;
  }

  // Returns null if nothing of the type was found.
  List* Find(TypeId type) {
    const auto at = Place(type);
    return at != end() && at->type == type ? &*at : nullptr;
  }
  std::int64_t Units(TypeId type) {
    const List* list = Find(type);
    return list == nullptr ? 0 : list->units;
  }

  void Add(TypeId type, const Candidate& candidate) {
    List& list = Make(type);
    list.units += candidate.units;
    list.candidates.push_back(candidate);
  }
  void AddAll(const Scoreboard& other) {
    for (const List& from : other) {
      List& list = Make(from.type);
      list.units += from.units;
      list.candidates.insert(list.candidates.end(), from.candidates.begin(),
                             from.candidates.end());
    }
  }

 private:
  std::vector<List>::iterator Place(TypeId type) {
    return std::lower_bound(
        begin(), end(), type,
        [](const List& list, TypeId t) { return list.type < t; });
  }
  List& Make(TypeId type) {
    auto at = Place(type);
    if (at != end() && at->type == type) return *at;
    const auto index = at - begin();
    if (used_ == static_cast<std::ptrdiff_t>(lists_.size())) {
      lists_.emplace_back();
    }
    ++used_;
    std::rotate(begin() + index, end() - 1, end());
    List& list = lists_[index];
    list.type = type;
    list.units = 0;
    list.chosen = 0;
    list.candidates.clear();
    return list;
  }

  std::vector<List> lists_;  // the first used_ are in use
  std::ptrdiff_t used_ = 0;
};

}  // namespace fluxnetes::matcher

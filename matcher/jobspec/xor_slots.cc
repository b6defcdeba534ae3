#include "matcher/jobspec/xor_slots.h"

#include <algorithm>

namespace fluxnetes::matcher {
namespace {

// Marks by index the resources that a variant keeps.
using Kept = std::vector<char>;

bool IsXor(const JobResource& resource) { return resource.type == "xor_slot"; }

// Returns the kept resources of a jobspec, renumbered. Children stay side by
// side and behind their parents.
XorVariant Take(const Jobspec& from, const Kept& kept) {
  XorVariant variant{from, {}};
  Jobspec& to = variant.jobspec;
  to.resources.clear();
  std::vector<int> number(from.resources.size(), -1);
  std::vector<int>& order = variant.origins;  // level by level
  for (int i = 0; i < static_cast<int>(from.resources.size()); ++i) {
    const int parent = from.resources[i].parent;
    if (kept[i] == 0 || (parent >= 0 && number[parent] < 0)) continue;
    number[i] = static_cast<int>(order.size());
    order.push_back(i);
  }
  to.top = 0;
  for (const int i : order) {
    JobResource resource = from.resources[i];
    if (IsXor(resource)) resource.type = "slot";
    int first = -1;
    int last = -1;
    for (int c = resource.first; c < resource.last; ++c) {
      if (number[c] < 0) continue;
      if (first < 0) first = number[c];
      last = number[c] + 1;
    }
    resource.first = std::max(first, 0);
    resource.last = std::max(last, 0);
    if (resource.parent >= 0) {
      resource.parent = number[resource.parent];
    } else {
      ++to.top;
    }
    to.resources.push_back(std::move(resource));
  }
  return variant;
}

}  // namespace

bool HasXorSlots(const Jobspec& jobspec) {
  return std::any_of(jobspec.resources.begin(), jobspec.resources.end(), IsXor);
}

// The ways to fill a resource are the ways to fill all its children, with one
// of its xor_slots. Children are behind their parents, so going backwards their
// ways are known.
std::vector<XorVariant> ExpandXorSlots(const Jobspec& jobspec) {
  const int count = static_cast<int>(jobspec.resources.size());
  // the resources that each way keeps
  using Ways = std::vector<std::vector<int>>;
  std::vector<Ways> ways(count);
  bool too_many = false;
  const auto times = [&](const Ways& a, const Ways& b) {
    Ways product;
    for (const auto& one : a) {
      for (const auto& other : b) {
        if (product.size() > kMaxXorVariants) {
          too_many = true;
          return product;
        }
        product.push_back(one);
        product.back().insert(product.back().end(), other.begin(), other.end());
      }
    }
    return product;
  };
  const auto fill = [&](int first, int last) {
    Ways all = {{}};
    Ways alternatives;
    int place = -1;
    for (int c = first; c < last; ++c) {
      if (!IsXor(jobspec.resources[c])) {
        all = times(all, ways[c]);
        continue;
      }
      place = c;
      alternatives.insert(alternatives.end(), ways[c].begin(), ways[c].end());
    }
    return place < 0 ? all : times(all, alternatives);
  };
  for (int i = count - 1; i >= 0; --i) {
    ways[i] = fill(jobspec.resources[i].first, jobspec.resources[i].last);
    for (auto& way : ways[i]) way.push_back(i);
    if (too_many) return {};
  }
  const Ways all = fill(0, jobspec.top);
  if (too_many || all.size() > kMaxXorVariants) return {};
  std::vector<XorVariant> variants;
  for (const auto& way : all) {
    Kept kept(count);
    for (const int i : way) kept[i] = 1;
    variants.push_back(Take(jobspec, kept));
  }
  return variants;
}

}  // namespace fluxnetes::matcher

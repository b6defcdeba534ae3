#include "matcher/inside/inside_bound.h"

#include <algorithm>

#include "matcher/units.h"

namespace fluxnetes::matcher {
namespace {

// Whether all that the jobspec asks for is in one vertex of a type.
bool HasDomain(const Jobspec& jobspec) {
  if (jobspec.top != 1) return false;
  const JobResource& outer = jobspec.resources.front();
  return outer.type != "slot" && outer.first < outer.last &&
         outer.count.min > 0;
}

}  // namespace

InsideBound::Need* InsideBound::NeedOf(const NodeStructure& structure,
                                       const std::string& type) {
  const auto id = structure.graph().type_names().Find(type);
  if (!id) return nullptr;
  const auto known = std::ranges::find_if(
      needs_, [&](const Need& need) { return need.type == *id; });
  if (known != needs_.end()) return &*known;
  Need need;
  need.type = *id;
  need.of_type = VertexMask(structure.size());
  for (VertexIndex v = 0; v < structure.size(); ++v) {
    if (structure.graph().type(v) != *id) continue;
    need.of_type.Insert(v);
    need.most = std::max(need.most, structure.graph().units(v));
  }
  needs_.push_back(std::move(need));
  return &needs_.back();
}

void InsideBound::AddNeeds(const NodeStructure& structure,
                           const Jobspec& jobspec, int r, std::int64_t count) {
  const JobResource& resource = jobspec.resources[r];
  std::int64_t vertices = count;
  if (resource.type != "slot") {
    Need* need = NeedOf(structure, resource.type);
    if (need == nullptr) {
      never_ = true;
      return;
    }
    need->units += count;
    vertices = (count + need->most - 1) / need->most;
  }
  for (int below = resource.first; below < resource.last; ++below) {
    const std::int64_t each = jobspec.resources[below].count.min;
    std::int64_t all = 0;
    if (__builtin_mul_overflow(each, vertices, &all) || all > kMaxAmount / 4) {
      never_ = true;  // no node has so many
      return;
    }
    AddNeeds(structure, jobspec, below, all);
  }
}

InsideBound::InsideBound(const NodeStructure& structure,
                         const Jobspec& jobspec) {
  if (!HasDomain(jobspec)) {
    domains_.push_back({0, structure.size(), 0});
    for (int r = 0; r < jobspec.top; ++r) {
      AddNeeds(structure, jobspec, r, jobspec.resources[r].count.min);
    }
  } else {
    const JobResource& outer = jobspec.resources.front();
    for (int r = outer.first; r < outer.last; ++r) {
      AddNeeds(structure, jobspec, r, jobspec.resources[r].count.min);
    }
    const auto type = structure.graph().type_names().Find(outer.type);
    for (VertexIndex v = 0; v < structure.size(); ++v) {
      if (type && structure.graph().type(v) == *type) {
        domains_.push_back({v, structure.end(v), 0});
      }
    }
  }
  for (Need& need : needs_) {
    need.vertices = (need.units + need.most - 1) / need.most;
    need.of_type.ForEach([&](VertexIndex) { ++need.all; });
  }
  // The scarcest first: it mostly decides.
  std::ranges::sort(needs_, [](const Need& a, const Need& b) {
    return a.vertices * b.all > b.vertices * a.all;
  });
  for (Domain& domain : domains_) MakeChecks(domain);
  const std::vector<std::uint64_t> none((structure.size() + 63) / 64);
  std::erase_if(domains_,
                [&](const Domain& domain) { return !EnoughIn(domain, none); });
}

void InsideBound::MakeChecks(Domain& domain) {
  domain.first_check = checks_.size();
  for (const Need& need : needs_) {
    Check check{need.vertices, pieces_.size(), 0};
    need.of_type.ForEach([&](VertexIndex v) {
      if (v < domain.first || v >= domain.end) return;
      const auto word = static_cast<std::size_t>(v) / 64;
      if (pieces_.size() == check.first || pieces_.back().word != word)
        pieces_.push_back({word, 0});
      pieces_.back().bits |= std::uint64_t{1} << (v % 64);
    });
    check.last = pieces_.size();
    checks_.push_back(check);
  }
}

}  // namespace fluxnetes::matcher

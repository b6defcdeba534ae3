#include "matcher/selection/job_request.h"

#include <algorithm>
#include <map>

namespace fluxnetes::matcher {
namespace {

std::int64_t Bounded(__int128 units) {
  return static_cast<std::int64_t>(std::min<__int128>(units, kMaxAmount));
}

// Units by type, of the types that filters track.
using Sums = std::map<TypeId, std::int64_t>;

void Add(Sums& sums, TypeId type, __int128 units) {
  std::int64_t& sum = sums[type];
  sum = Bounded(sum + units);
}

// Limits the sums to what an alternative needs; what they lack they get from
// it.
void Limit(Sums& sums, const Sums& alternative) {
  for (auto& [type, units] : sums) {
    if (!alternative.contains(type)) units = 0;
  }
  for (const auto& [type, units] : alternative) {
    const auto [there, is_new] = sums.try_emplace(type, units);
    if (!is_new) there->second = std::min(there->second, units);
  }
}

class Maker {
 public:
  Maker(const Jobspec& spec, bool flexible, const PruningFilters& filters,
        int types)
      : filters_(filters), types_(types), below_(spec.resources.size()) {
    request_.spec = &spec;
    request_.flexible = flexible;
  }

  bool Resolve(const ResourceGraph& graph) {
    const Jobspec& spec = *request_.spec;
    for (const JobResource& resource : spec.resources) {
      const auto type = graph.type_names().Find(resource.type);
      if (!type) return false;
      request_.types.push_back(*type);
      request_.with.push_back({resource.first, resource.last});
      request_.lists.push_back(static_cast<int>(request_.lists.size()));
      if (resource.exclusive == true) request_.exclusive.insert(*type);
    }
    return true;
  }

  JobRequest Make() {
    const Jobspec& spec = *request_.spec;
    request_.parts = request_.with;
    if (request_.flexible) {
      ShareParts(request_.top());
      for (const JobResource& resource : spec.resources) {
        ShareParts({resource.first, resource.last});
      }
    }
    // Children are behind their parents in the array, so they are complete
    // first.
    request_.below.resize(spec.resources.size());
    for (int i = static_cast<int>(spec.resources.size()) - 1; i >= 0; --i) {
      below_[i] = Sum(request_.with[i]);
      request_.below[i] = NeedsOf(below_[i]);
    }
    request_.total = NeedsOf(Sum(request_.top()));
    return std::move(request_);
  }

 private:
  Sums Sum(Level level) const;
  TypeNeeds NeedsOf(const Sums& sums) const;
  void ShareParts(Level level);

  const PruningFilters& filters_;
  const std::size_t types_;
  std::vector<Sums> below_;  // [resource]: for one unit of it
  JobRequest request_;
};

// Returns what the resources of the level need together.
Sums Maker::Sum(Level level) const {
  Sums sums;
  for (int r = level.first; r < level.last; ++r) {
    const TypeId type = request_.types[r];
    const __int128 count = request_.resource(r).count.min;
    Sums one;
    if (filters_.Tracks(type)) Add(one, type, count);
    for (const auto& [below, units] : below_[r]) Add(one, below, count * units);
    if (request_.flexible &&
        (type == types::kSlot || type == types::kXorSlot)) {
      Limit(sums, one);
      continue;
    }
    for (const auto& [needed, units] : one) Add(sums, needed, units);
  }
  return sums;
}

TypeNeeds Maker::NeedsOf(const Sums& sums) const {
  TypeNeeds needs{std::vector<std::int64_t>(types_), !sums.empty()};
  for (const auto& [type, units] : sums) needs.units[type] = units;
  return needs;
}

void Maker::ShareParts(Level level) {
  std::vector<int> parts;
  int slots = 0;
  for (int slot = level.first; slot < level.last; ++slot) {
    if (!request_.IsSlot(slot)) continue;
    ++slots;
    const Level with = request_.with[slot];
    for (int r = with.first; r < with.last; ++r) {
      const auto same =
          std::find_if(parts.begin(), parts.end(), [&](int other) {
            return request_.types[other] == request_.types[r];
          });
      if (same == parts.end()) {
        parts.push_back(r);
      } else if (request_.resource(r).count.min >
                 request_.resource(*same).count.min) {
        *same = r;
      }
    }
  }
  if (slots < 2) return;
  const int first = static_cast<int>(request_.lists.size());
  request_.lists.insert(request_.lists.end(), parts.begin(), parts.end());
  const Level shared{first, static_cast<int>(request_.lists.size())};
  for (int slot = level.first; slot < level.last; ++slot) {
    if (request_.IsSlot(slot)) request_.parts[slot] = shared;
  }
}

}  // namespace

std::optional<JobRequest> MakeJobRequest(const Jobspec& spec, bool flexible,
                                         const ResourceGraph& graph,
                                         const PruningFilters& filters) {
  Maker maker(spec, flexible, filters, graph.type_names().size());
  if (!maker.Resolve(graph)) return std::nullopt;
  return maker.Make();
}

JobRequest MakeVariantRequest(const XorVariant& variant,
                              const JobRequest& whole,
                              const ResourceGraph& graph,
                              const PruningFilters& filters) {
  Maker maker(variant.jobspec, /*flexible=*/true, filters,
              graph.type_names().size());
  maker.Resolve(graph);
  JobRequest request = maker.Make();
  for (std::size_t r = 0; r < variant.origins.size(); ++r) {
    request.below[r] = whole.below[variant.origins[r]];
  }
  request.total = whole.total;
  request.exclusive = whole.exclusive;
  return request;
}

}  // namespace fluxnetes::matcher

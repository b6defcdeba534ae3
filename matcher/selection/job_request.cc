#include "matcher/selection/job_request.h"

#include <algorithm>

namespace fluxnetes::matcher {
namespace {

std::int64_t Bounded(__int128 units) {
  return static_cast<std::int64_t>(std::min<__int128>(units, kMaxAmount));
}

// Adds `count` units of a resource and what they need below.
void AddNeeds(TypeNeeds& needs, std::int64_t count, TypeId type, bool tracked,
              const TypeNeeds& below) {
  if (tracked) {
    needs.units[type] = Bounded(__int128{needs.units[type]} + count);
    needs.any = true;
  }
  if (!below.any) return;
  needs.any = true;
  for (std::size_t t = 0; t < needs.units.size(); ++t) {
    needs.units[t] = Bounded(needs.units[t] + __int128{count} * below.units[t]);
  }
}

class Maker {
 public:
  Maker(const Jobspec& spec, bool flexible, const PruningFilters& filters,
        int types)
      : filters_(filters), none_{std::vector<std::int64_t>(types), false} {
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
    request_.below.assign(spec.resources.size(), none_);
    for (int i = static_cast<int>(spec.resources.size()) - 1; i >= 0; --i) {
      request_.below[i] = Needs(request_.with[i]);
    }
    request_.total = Needs(request_.top());
    return std::move(request_);
  }

 private:
  TypeNeeds Needs(Level level) const;
  void ShareParts(Level level);

  const PruningFilters& filters_;
  const TypeNeeds none_;
  JobRequest request_;
};

// Returns what the resources of the level need together; of slots that are
// alternatives, the least of each type.
TypeNeeds Maker::Needs(Level level) const {
  TypeNeeds needs = none_;
  std::optional<TypeNeeds> least;
  for (int r = level.first; r < level.last; ++r) {
    const bool alternative = request_.flexible && request_.IsSlot(r);
    TypeNeeds one = none_;
    AddNeeds(alternative ? one : needs, request_.resource(r).count.min,
             request_.types[r], filters_.Tracks(request_.types[r]),
             request_.below[r]);
    if (!alternative) continue;
    if (!least) {
      least = one;
      continue;
    }
    for (std::size_t t = 0; t < one.units.size(); ++t) {
      least->units[t] = std::min(least->units[t], one.units[t]);
    }
    least->any = least->any && one.any;
  }
  if (least) AddNeeds(needs, 1, types::kSlot, false, *least);
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

}  // namespace fluxnetes::matcher

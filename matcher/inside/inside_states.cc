#include "matcher/inside/inside_states.h"

#include <algorithm>
#include <utility>

namespace fluxnetes::matcher {
namespace {

// Returns the jobspec without the resources of a type and what is below them.
Jobspec Without(const Jobspec& jobspec, std::string_view type) {
  Jobspec rest = jobspec;
  rest.resources.clear();
  std::vector<int> numbers(jobspec.resources.size(), -1);
  rest.top = 0;
  for (std::size_t r = 0; r < jobspec.resources.size(); ++r) {
    JobResource resource = jobspec.resources[r];
    const int parent = resource.parent;
    if (resource.type == type || (parent >= 0 && numbers[parent] < 0)) continue;
    const int number = numbers[r] = static_cast<int>(rest.resources.size());
    resource.first = resource.last = 0;
    resource.parent = parent < 0 ? -1 : numbers[parent];
    if (parent < 0) {
      ++rest.top;
    } else {
      JobResource& above = rest.resources[resource.parent];
      if (above.last == 0) above.first = number;
      above.last = number + 1;
    }
    rest.resources.push_back(std::move(resource));
  }
  return rest;
}

}  // namespace

StateId InsideStates::Find(const VertexMask& taken) {
  const std::size_t hash = matcher::HashOf(taken.words());
  const auto is = [&](StateId state) {
    return std::ranges::equal(this->taken(state), taken.words());
  };
  const StateId known = index_.Find(hash, is);
  if (known >= 0) return known;
  const StateId added = size_++;
  words_.insert(words_.end(), taken.words().begin(), taken.words().end());
  index_.Add(hash, added);
  bytes_ += 2 * (taken.words().size_bytes() + sizeof(std::uint64_t));
  return added;
}

InsideSearch& InsideStates::SearchFor(std::vector<std::string> types) {
  for (const View& view : views_) {
    if (view.types == types) return *view.search;
  }
  ResourceGraph graph =
      types.empty() ? structure_.graph() : structure_.ViewOf(types);
  auto search =
      std::make_unique<InsideSearch>(structure_, std::move(graph), policy_);
  return *views_.emplace_back(View{std::move(types), std::move(search)}).search;
}

InsideStates::Prepared InsideStates::Prepare(const InsideChoice& choice) {
  Prepared prepared;
  Jobspec jobspec = choice.jobspec;
  std::vector<std::string> types;
  if (choice.passes_levels) {
    if (!structure_.graph().type_names().Find("memory")) {
      jobspec = Without(jobspec, "memory");
    }
    for (const JobResource& resource : jobspec.resources) {
      types.push_back(resource.type);
    }
    std::sort(types.begin(), types.end());
    types.erase(std::unique(types.begin(), types.end()), types.end());
  }
  prepared.jobspec = std::make_unique<const Jobspec>(std::move(jobspec));
  InsideSearch& search = SearchFor(std::move(types));
  prepared.request = choice.origins.empty()
                         ? search.Prepare(*prepared.jobspec, choice.flexible)
                         : search.PrepareVariant(*prepared.jobspec, choice);
  if (prepared.request) prepared.search = &search;
  if (!choice.flexible) prepared.bound.emplace(structure_, *prepared.jobspec);
  return prepared;
}

const std::vector<InsideStates::Prepared>& InsideStates::PreparedFor(
    ShapeId shape, const InsideRequest& request) {
  auto& all = prepared_[shape];
  if (all.empty()) {
    for (const InsideChoice& choice : request.choices) {
      all.push_back(Prepare(choice));
    }
    if (request.by_kubelet) KeepFirstOfEmpty(all);
  }
  return all;
}

// Keeps the first choice that an empty node has; where none is, one of them.
void InsideStates::KeepFirstOfEmpty(std::vector<Prepared>& choices) {
  VertexMask nothing;
  nothing.Clear(structure_.size());
  const auto first = std::ranges::find_if(choices, [&](Prepared& choice) {
    return choice.search != nullptr &&
           choice.search->Run(*choice.request, nothing).has_value();
  });
  std::vector<Prepared> kept;
  kept.push_back(std::move(first == choices.end() ? choices.front() : *first));
  choices = std::move(kept);
}

// A view of some types does not show all that is below a vertex which is taken
// with everything in it.
void InsideStates::AddWhole(const JobRequest& request,
                            std::vector<VertexIndex>& vertices) const {
  if (request.exclusive.empty()) return;
  std::vector<VertexIndex> all;
  for (const VertexIndex v : vertices) {
    const bool whole = request.exclusive.contains(structure_.graph().type(v));
    const VertexIndex end = whole ? structure_.end(v) : v + 1;
    for (VertexIndex below = v; below < end; ++below) {
      if (all.empty() || all.back() < below) all.push_back(below);
    }
  }
  vertices = std::move(all);
}

bool InsideStates::MayFit(const std::vector<Prepared>& choices,
                          StateId state) const {
  return std::ranges::any_of(choices, [&](const Prepared& choice) {
    return choice.search != nullptr &&
           (!choice.bound || choice.bound->MayFit(taken(state)));
  });
}

// Blocks all but the domain that the request must be in, besides what is taken;
// false: there is no such domain.
bool InsideStates::Block(const InsideRequest& request) {
  blocked_ = from_;
  if (request.within.empty()) return true;
  const auto domain = structure_.Find(request.within);
  if (!domain) return false;
  for (VertexIndex v = 0; v < structure_.size(); ++v) {
    const bool above = v <= *domain && *domain < structure_.end(v);
    const bool below = *domain <= v && v < structure_.end(*domain);
    if (!above && !below) blocked_.Insert(v);
  }
  return true;
}

InsideStates::Step InsideStates::Search(StateId state, ShapeId shape,
                                        const InsideRequest& request) {
  Step step{kDoesNotFit, -1};
  for (const Prepared& choice : PreparedFor(shape, request)) {
    if (choice.search == nullptr) continue;
    if (choice.bound && !choice.bound->MayFit(taken(state))) continue;
    ++searches_;
    from_.Copy(taken(state));
    if (!Block(request)) break;
    auto got = choice.search->Run(*choice.request, blocked_);
    if (!got) continue;
    AddWhole(*choice.request, *got);
    structure_.InsertBelow(*got, from_);
    bytes_ +=
        got->size() * sizeof(VertexIndex) + sizeof(std::vector<VertexIndex>);
    step = {Find(from_), static_cast<std::int32_t>(vertices_.size())};
    vertices_.push_back(*std::move(got));
    break;
  }
  step_index_.Add(HashOf(state, shape),
                  static_cast<std::int32_t>(steps_.size()));
  steps_.push_back({state, shape, step});
  bytes_ += 2 * (sizeof(KnownStep) + sizeof(std::uint64_t));
  return step;
}

void InsideStates::Clear() {
  size_ = 0;
  words_ = {};
  index_ = {};
  steps_ = {};
  step_index_ = {};
  vertices_ = {};
  bytes_ = 0;
}

}  // namespace fluxnetes::matcher

// What kubelets have given away, where that shows tasks to be, and which tasks
// they admit.
#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <tuple>
#include <utility>

#include "matcher/inside/node_interior_state.h"

namespace fluxnetes::matcher {
namespace {

constexpr std::array kGivenTypes = {"core", "gpu", "nic"};

int CountBoth(const VertexMask& a, const VertexMask& b) {
  int count = 0;
  for (std::size_t i = 0; i < a.words().size() && i < b.words().size(); ++i)
    count += std::popcount(a.words()[i] & b.words()[i]);
  return count;
}

int CountWithout(const VertexMask& a, const VertexMask& taken) {
  return CountBoth(a, a) - CountBoth(a, taken);
}

}  // namespace

std::vector<NodeInterior::State::Domain>
NodeInterior::State::Structure::DomainsOf(const NodeStructure& structure) {
  const ResourceGraph& graph = structure.graph();
  std::vector<Domain> domains;
  for (VertexIndex top = 0; top < structure.size(); ++top) {
    if (graph.TypeName(top) != "numa") continue;
    Domain& domain = domains.emplace_back();
    domain.top = top;
    const auto add = [&](VertexMask& mask, std::string_view type) {
      mask.Clear(structure.size());
      for (VertexIndex v = top; v < structure.end(top); ++v)
        if (graph.TypeName(v) == type) mask.Insert(v);
    };
    add(domain.cpus, "core");
    add(domain.gpus, "gpu");
    add(domain.nics, "nic");
  }
  std::ranges::sort(domains, {},
                    [&](const Domain& domain) { return graph.id(domain.top); });
  return domains;
}

DomainAmounts NodeInterior::State::Structure::Left(
    const VertexMask& taken) const {
  DomainAmounts left;
  for (const Domain& domain : domains) {
    left.cpus.push_back(CountWithout(domain.cpus, taken));
    left.gpus.push_back(CountWithout(domain.gpus, taken));
  }
  return left;
}

void NodeInterior::SetGiven(NodeIndex node, std::vector<GivenInside> given) {
  State::Node& at = state_->NodeAt(node);
  state_->ForgetLeft(at);
  at.given = std::make_unique<std::vector<GivenInside>>(std::move(given));
  at.given_anew = true;
}

void NodeInterior::ForgetGiven(NodeIndex node) {
  State::Node& at = state_->NodeAt(node);
  if (at.given == nullptr) return;
  state_->Unlook(at);
  state_->ForgetLeft(at);
  at.given = nullptr;
  at.given_anew = false;
}

void NodeInterior::SetAdmitted(NodeIndex node,
                               std::span<const InsideTask> tasks) {
  State::Node& at = state_->NodeAt(node);
  for (State::Hold& hold : at.holds) {
    const bool admitted =
        std::ranges::any_of(tasks, [&](const InsideTask& task) {
          return task.job == hold.job && task.task == hold.task;
        });
    if (std::exchange(hold.admitted, admitted) != admitted)
      at.given_anew = at.given != nullptr;
  }
}

void NodeInterior::SetKubelet(NodeIndex node, TasksOfKubelet places) {
  State::Node& at = state_->NodeAt(node);
  state_->kubelets -= at.kubelet == TasksOfKubelet::kAny ? 0 : 1;
  state_->kubelets += places == TasksOfKubelet::kAny ? 0 : 1;
  at.kubelet = places;
}

void NodeInterior::TrustPlans() { state_->trusts_plans = true; }

const KubeletDemand& NodeInterior::DemandOf(ShapeId shape) const {
  return state_->ShapeOf(shape).request.demand;
}

void NodeInterior::State::Unlook(Node& node) {
  for (Hold& hold : node.holds) {
    if (!IsOfTask(hold)) {
      GiveParts(hold);
    } else if (hold.seen >= 0) {
      parts.Give(std::exchange(hold.seen, -1));
    }
  }
  std::erase_if(node.holds, [](const Hold& hold) { return !IsOfTask(hold); });
  node.seen.state = -1;
}

namespace {

// Which vertices tasks and others have, by what is given of each domain.
class GivenPlaces {
 public:
  using State = NodeInterior::State;

  GivenPlaces(const State& state, const State::Node& node,
              const State::Structure& structure, Time now)
      : state_(state), node_(node), structure_(structure), now_(now) {
    held_.Clear(structure.structure.size());
    held_now_ = held_;
    for (const State::Hold& hold : node.holds) {
      masks_.push_back(&state.MaskOf(hold));
      held_.InsertAll(*masks_.back());
      if (hold.start <= now) held_now_.InsertAll(*masks_.back());
    }
  }

  void Find(std::string_view type) {
    uses_.assign(structure_.structure.size(), 0);
    std::vector<std::int64_t> more;  // given than held, by domain
    for (const State::Domain& domain : structure_.domains) {
      more.push_back(GivenOf(domain, type));
      for (std::size_t h = 0; h < masks_.size(); ++h)
        if (Counts(h, type)) more.back() -= CountUses(h, domain.Of(type));
    }
    for (std::size_t from = 0; from < more.size(); ++from)
      while (more[from] < 0 && MoveSome(from, more, type)) continue;
    for (const State::Domain& domain : structure_.domains)
      Part(domain.Of(type), type);
    for (std::size_t i = 0; i < more.size(); ++i) {
      const VertexMask& vertices = structure_.domains[i].Of(type);
      for (; more[i] > 0; --more[i]) {
        const VertexIndex v = FreeOf(vertices);
        if (v == kNoVertex) break;
        Take(v);
        others_.push_back(v);
        ++uses_[v];
      }
    }
  }

  std::vector<VertexIndex>& others() { return others_; }
  // What tasks have instead of what was planned, by their holds' positions.
  const std::map<std::size_t, std::vector<VertexIndex>>& moved() const {
    return moved_;
  }

 private:
  bool Counts(std::size_t h, std::string_view type) const {
    return Counts(node_.holds[h], type);
  }
  bool Counts(const State::Hold& hold, std::string_view type) const {
    return hold.admitted && hold.start <= now_ &&
           (type == "core"  ? hold.demand.cpus > 0
            : type == "gpu" ? hold.demand.gpus > 0
                            : true);
  }

  int CountUses(std::size_t h, const VertexMask& vertices) {
    int count = 0;
    vertices.ForEach([&](VertexIndex v) {
      if (!masks_[h]->Contains(v)) return;
      ++count;
      ++uses_[v];
    });
    return count;
  }

  // Tasks that were planned on the same vertex, one after the other was seen
  // elsewhere, have one each.
  void Part(const VertexMask& vertices, std::string_view type) {
    vertices.ForEach([&](VertexIndex v) {
      for (std::size_t h = 0; h < masks_.size() && uses_[v] > 1; ++h) {
        if (!Counts(h, type) || !masks_[h]->Contains(v)) continue;
        if (std::ranges::find(VerticesOf(h), v) == VerticesOf(h).end())
          continue;
        const VertexIndex to = FreeOf(vertices);
        if (to == kNoVertex) return;
        Move(h, v, to);
      }
    });
  }

  std::int64_t GivenOf(const State::Domain& domain,
                       std::string_view type) const {
    std::int64_t sum = 0;
    for (const GivenInside& given : *node_.given)
      if (given.type == type &&
          structure_.structure.Find(given.domain) == domain.top)
        sum += given.vertices;
    for (const State::Hold& left : node_.left)
      if (Counts(left, type))
        sum -= CountBoth(state_.MaskOf(left), domain.Of(type));
    return std::max<std::int64_t>(sum, 0);
  }

  // One that nobody holds; else one that is held later; else one that the
  // kubelet has not given to the task that holds it.
  VertexIndex FreeOf(const VertexMask& vertices) const {
    VertexIndex found = kNoVertex;
    int rank = 0;
    vertices.ForEach([&](VertexIndex v) {
      if (uses_[v] > 0) return;
      const int its = !held_.Contains(v) ? 3 : !held_now_.Contains(v) ? 2 : 1;
      if (its <= rank) return;
      found = v;
      rank = its;
    });
    return found;
  }

  void Take(VertexIndex v) {
    held_.Insert(v);
    held_now_.Insert(v);
  }

  // Moves a part of a task from a domain where less is given than held to those
  // where more is: of the task that has just so much there, else of the one
  // that came last. False if there is no such domain or task.
  bool MoveSome(std::size_t from, std::vector<std::int64_t>& more,
                std::string_view type) {
    const auto to =
        std::ranges::find_if(more, [](std::int64_t each) { return each > 0; });
    if (to == more.end()) return false;
    const VertexMask& there = structure_.domains[from].Of(type);
    std::size_t chosen = masks_.size();
    const auto rank = [&](std::size_t h) {
      const State::Hold& hold = node_.holds[h];
      return std::tuple(Has(h, there) == -more[from], hold.start, hold.job,
                        hold.task);
    };
    for (std::size_t h = 0; h < masks_.size(); ++h)
      if (Counts(h, type) && Has(h, there) > 0 &&
          (chosen == masks_.size() || rank(h) > rank(chosen)))
        chosen = h;
    const auto domain = static_cast<std::size_t>(to - more.begin());
    const VertexIndex v = FreeOf(structure_.domains[domain].Of(type));
    if (chosen == masks_.size() || v == kNoVertex) return false;
    Move(chosen, LeastOwn(chosen, there), v);
    ++more[from];
    --*to;
    return true;
  }

  std::int64_t Has(std::size_t h, const VertexMask& there) const {
    const auto moved = moved_.find(h);
    if (moved == moved_.end()) return CountBoth(*masks_[h], there);
    return std::ranges::count_if(
        moved->second, [&](VertexIndex v) { return there.Contains(v); });
  }

  // One that other tasks have too, if there is one.
  VertexIndex LeastOwn(std::size_t h, const VertexMask& there) {
    VertexIndex least = kNoVertex;
    for (const VertexIndex v : VerticesOf(h))
      if (there.Contains(v) && (least == kNoVertex || uses_[v] > uses_[least]))
        least = v;
    return least;
  }

  std::vector<VertexIndex>& VerticesOf(std::size_t h) {
    std::vector<VertexIndex>& vertices = moved_[h];
    if (vertices.empty())
      masks_[h]->ForEach([&](VertexIndex v) { vertices.push_back(v); });
    return vertices;
  }

  // What contains the vertex is not held whole any more.
  void Move(std::size_t h, VertexIndex from, VertexIndex to) {
    std::vector<VertexIndex>& vertices = VerticesOf(h);
    std::erase_if(vertices, [&](VertexIndex v) {
      return v <= from && from < structure_.structure.end(v);
    });
    vertices.push_back(to);
    --uses_[from];
    ++uses_[to];
    Take(to);
  }

  const State& state_;
  const State::Node& node_;
  const State::Structure& structure_;
  const Time now_;
  std::vector<const VertexMask*> masks_;  // of the holds
  VertexMask held_;                       // at any time
  VertexMask held_now_;
  // By how many it is had to whom the kubelet has given it, by vertex.
  std::vector<int> uses_;
  std::map<std::size_t, std::vector<VertexIndex>> moved_;
  std::vector<VertexIndex> others_;
};

}  // namespace

void NodeInterior::State::LookAtGiven(Node& node, Time now) {
  if (!std::exchange(node.given_anew, false)) return;
  Unlook(node);
  Structure* const structure = Of(node);
  if (structure == nullptr || node.given == nullptr) return;
  GivenPlaces places(*this, node, *structure, now);
  for (const char* const type : kGivenTypes) places.Find(type);
  const auto take = [&](std::vector<VertexIndex> vertices) {
    std::ranges::sort(vertices);
    return parts.Take(node.structure, &structure->structure, vertices);
  };
  for (const auto& [hold, vertices] : places.moved())
    node.holds[hold].seen = take(vertices);
  if (places.others().empty()) return;
  node.holds.push_back(
      {kOthers, 0, take(std::move(places.others())), now, kForever});
}

void NodeInterior::State::Leave(Node& node, Hold& hold) {
  if (hold.admitted && node.given != nullptr) {
    node.left.push_back(hold);
  } else {
    GiveParts(hold);
  }
}

bool NodeInterior::State::ComeBack(Node& node, JobId job, PartsId held) {
  const auto left = std::ranges::find_if(node.left, [&](const Hold& each) {
    return each.job == job && each.parts == held;
  });
  if (left == node.left.end()) return false;
  GiveParts(*left);
  node.left.erase(left);
  return true;
}

void NodeInterior::State::ForgetLeft(Node& node) {
  for (const Hold& hold : node.left) GiveParts(hold);
  node.left = {};
}

bool NodeInterior::State::SaysWhatIsGiven(const Node& node,
                                          const InsideWindow& window) const {
  return !trusts_plans && window.from <= window.now && node.given != nullptr;
}

// Later, and where the kubelet says nothing of what it has given away, tasks
// are where they are known or planned to be when the window begins.
bool NodeInterior::State::AdmitsAll(const Node& node, Structure& structure,
                                    const InsideWindow* window,
                                    std::vector<DemandedTasks> tasks) const {
  VertexMask taken(structure.structure.size());
  for (const Hold& hold : node.holds) {
    if (window == nullptr || IsWithout(*window, hold) ||
        hold.start > window->from ||
        (window->from > window->now && hold.end <= window->from))
      continue;
    if (!IsOfTask(hold)) {
      taken.InsertAll(MaskOf(hold));
    } else if (!hold.admitted && SaysWhatIsGiven(node, *window)) {
      tasks.push_back({hold.demand, 1});
    } else {
      for (const Domain& domain : structure.domains) {
        if (hold.demand.cpus > 0) taken.InsertBoth(MaskOf(hold), domain.cpus);
        if (hold.demand.gpus > 0) taken.InsertBoth(MaskOf(hold), domain.gpus);
      }
    }
  }
  const KubeletAdmission& kubelet = node.kubelet == TasksOfKubelet::kInOneDomain
                                        ? structure.in_one
                                        : structure.in_fewest;
  return kubelet.AdmitsAll(structure.Left(taken), tasks);
}

int NodeInterior::State::AdmittedOf(Node& node, Structure& structure,
                                    ShapeId shape, int fit,
                                    const InsideWindow* window,
                                    std::span<const TasksBeside> beside) const {
  const InsideRequest& request = ShapeOf(shape).request;
  const KubeletDemand& demand = request.demand;
  if (fit == 0 || node.kubelet == TasksOfKubelet::kAny ||
      !structure.has_numa() || !demand.Any())
    return fit;
  // Such tasks are planned in the domains that the kubelet demands, so they fit
  // there as they are planned, unless it never admits one.
  if (request.by_kubelet && window != nullptr &&
      !SaysWhatIsGiven(node, *window))
    return AdmitsAll(node, structure, nullptr, {{demand, 1}}) ? fit : 0;
  std::vector<DemandedTasks> others;
  for (const TasksBeside& tasks : beside)
    others.push_back({ShapeOf(tasks.shape).request.demand, tasks.tasks});
  const auto admits = [&](int tasks) {
    std::vector<DemandedTasks> all = others;
    all.push_back({demand, tasks});
    return AdmitsAll(node, structure, window, std::move(all));
  };
  if (admits(fit)) return fit;
  int most = 0;
  for (int more = fit - 1; most < more;) {
    const int half = most + (more - most + 1) / 2;
    if (admits(half)) {
      most = half;
    } else {
      more = half - 1;
    }
  }
  return most;
}

}  // namespace fluxnetes::matcher

#include "matcher/fluxion/matcher.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "matcher/fluxion/matcher_state.h"
#include "matcher/jobspec/xor_slots.h"

namespace fluxnetes::matcher {

Matcher::State::State(ResourceGraph with, const MatcherOptions& how)
    : graph(std::move(with)),
      options(how),
      filters(how.prune_filters, graph),
      selection(graph, bookings, filters, how.policy) {
  if (options.start < 0 || options.end <= options.start ||
      options.end > kForever / 4) {
    throw std::invalid_argument("the time of the graph is empty or too long");
  }
  Prime();
}

std::optional<Time> Matcher::State::DurationOf(const Jobspec& jobspec) const {
  const Time window = options.end - options.start;
  const double seconds = jobspec.duration;
  if (std::isnan(seconds) || seconds < 0 ||
      seconds > static_cast<double>(window)) {
    return std::nullopt;
  }
  if (seconds == 0) return window;
  return static_cast<Time>(std::ceil(seconds));
}

std::int64_t Matcher::State::CountNodes(const JobRequest& request, bool status,
                                        Time at) const {
  std::int64_t count = 0;
  for (VertexIndex v = 0; v < graph.size(); ++v) {
    if (graph.type(v) != types::kNode || graph.detached(v) ||
        (status && !graph.up(v))) {
      continue;
    }
    if (!request.spec->constraint.Holds(graph, v)) continue;
    count += bookings.plans.LeastDuring(v, graph.units(v), at,
                                        request.duration) == 1 &&
             !CoveredDuring(v, at, request.duration);
  }
  return count;
}

// False if too few nodes are up or free for the request: saves a walk.
bool Matcher::State::EnoughNodes(const JobRequest& request, MatchOp op,
                                 Time now) const {
  const std::int64_t nodes = request.total.units[types::kNode];
  if (nodes > nodes_up) return false;
  if (request.spec->constraint.empty()) return true;
  const bool status = op != MatchOp::kAllocateWithSatisfiability;
  const bool at_once =
      op == MatchOp::kAllocate || op == MatchOp::kWithoutAllocating;
  const Time at = at_once ? now : options.end - 1;
  return CountNodes(request, status, at) >= nodes;
}

// True if nothing that is booked starts after the time.
bool Matcher::State::Steady(Time at) const {
  return starts.empty() || starts.rbegin()->first <= at;
}

bool Matcher::State::Satisfiable(const JobRequest& request) {
  Selection::Times times;
  times.at = kForever - request.duration - 1;
  times.duration = request.duration;
  times.status = false;
  times.steady = Steady(times.at);
  return selection.Run(request, times);
}

Match Matcher::State::Reserve(JobId id, const JobRequest& request, MatchOp op,
                              Time now) {
  Match none;
  const MultiPlanner* filter = filters.At(graph.root());
  if (filter == nullptr) {
    none.outcome = MatchOutcome::kInvalid;
    none.error = "the root has no pruning filter to plan by";
    return none;
  }
  std::vector<std::int64_t> needs;
  for (const TypeId type : filter->types()) {
    needs.push_back(request.total.units[type]);
  }
  const MatchOutcome how = op == MatchOp::kAllocateOrElseReserve
                               ? MatchOutcome::kReserved
                               : MatchOutcome::kMatched;
  auto at = filter->FirstTime(now + 1, request.duration, needs);
  for (; at; at = filter->FirstTime(*at + 1, request.duration, needs)) {
    const Selection::Times times{*at, request.duration, false, true,
                                 Steady(*at)};
    if (selection.Run(request, times)) return Book(id, request, *at, how);
  }
  none.outcome =
      Satisfiable(request) ? MatchOutcome::kBusy : MatchOutcome::kUnsatisfiable;
  return none;
}

Match Matcher::State::Search(JobId id, const JobRequest& request, MatchOp op,
                             Time at) {
  const auto say = [](MatchOutcome outcome) {
    Match answer;
    answer.outcome = outcome;
    return answer;
  };
  now = at;
  if (op == MatchOp::kSatisfiability) {
    return say(Satisfiable(request) ? MatchOutcome::kSatisfiable
                                    : MatchOutcome::kUnsatisfiable);
  }
  const bool tells = op == MatchOp::kAllocateWithSatisfiability;
  if (!EnoughNodes(request, op, at)) {
    return say(tells ? MatchOutcome::kUnsatisfiable : MatchOutcome::kBusy);
  }
  const bool looks = op == MatchOp::kWithoutAllocating ||
                     op == MatchOp::kWithoutAllocatingFuture;
  if (selection.Run(request, {at, request.duration, true, true, Steady(at)})) {
    return Book(id, request, at,
                looks ? MatchOutcome::kMatched : MatchOutcome::kAllocated);
  }
  if (op == MatchOp::kAllocateOrElseReserve ||
      op == MatchOp::kWithoutAllocatingFuture) {
    return Reserve(id, request, op, at);
  }
  const bool never = tells && !Satisfiable(request);
  return say(never ? MatchOutcome::kUnsatisfiable : MatchOutcome::kBusy);
}

// True if the last request is for the same resources.
bool Matcher::State::Prepared(const Jobspec& jobspec) const {
  return prepared && prepared_top == jobspec.top &&
         prepared_resources == jobspec.resources;
}

// Runs the variants one after the other until one is found.
Match Matcher::State::Variants(JobId id, const Jobspec& jobspec, MatchOp op,
                               Time at) {
  Match match;
  match.outcome = MatchOutcome::kInvalid;
  const auto duration = DurationOf(jobspec);
  if (!duration) {
    match.error = "the duration is negative or longer than the graph's time";
    return match;
  }
  const auto known = [&](const JobResource& resource) {
    return graph.type_names().Find(resource.type).has_value();
  };
  if (!Prepared(jobspec) &&
      !std::all_of(jobspec.resources.begin(), jobspec.resources.end(), known)) {
    match.error = "Value of \"type\" must be a resource type known to fluxion";
    return match;
  }
  const auto run = [&](const Jobspec& variant) {
    if (!Prepared(variant)) {
      prepared = MakeJobRequest(variant, options.flexible, graph, filters);
      if (!prepared) return true;
      prepared_top = variant.top;
      prepared_resources = variant.resources;
    }
    prepared->spec = &variant;
    prepared->duration = *duration;
    match = Search(id, *prepared, op, at);
    return match.found() || match.outcome == MatchOutcome::kSatisfiable;
  };
  if (!options.flexible || !HasXorSlots(jobspec)) {
    run(jobspec);
    return match;
  }
  const auto variants = ExpandXorSlots(jobspec);
  if (variants.empty()) {
    match.error = "xor_slots make more than 1000 jobspecs";
    return match;
  }
  for (const Jobspec& variant : variants) {
    if (run(variant)) break;
  }
  return match;
}

Matcher::Matcher(ResourceGraph graph, const MatcherOptions& options)
    : state_(std::make_unique<State>(std::move(graph), options)) {}
Matcher::~Matcher() = default;
Matcher::Matcher(Matcher&&) noexcept = default;
Matcher& Matcher::operator=(Matcher&&) noexcept = default;

const ResourceGraph& Matcher::graph() const { return state_->graph; }
const PruningFilters& Matcher::filters() const { return state_->filters; }

Match Matcher::Run(JobId id, const Jobspec& jobspec, MatchOp op, Time now) {
  Match match;
  match.outcome = MatchOutcome::kInvalid;
  if (state_->jobs.contains(id)) {
    match.error = "the job holds something already";
    return match;
  }
  if (now < 0 || now > state_->options.end) {
    match.error = "the time is outside of the graph's";
    return match;
  }
  const std::int64_t visits = state_->selection.visits();
  const std::int64_t finds = state_->selection.finds();
  match = state_->Variants(id, jobspec, op, now);
  match.visits = state_->selection.visits() - visits;
  match.finds = state_->selection.finds() - finds;
  return match;
}

bool Matcher::Known(JobId job) const { return state_->jobs.contains(job); }

bool Matcher::Reserved(JobId job) const {
  const auto found = state_->jobs.find(job);
  return found != state_->jobs.end() && found->second.reserved;
}

}  // namespace fluxnetes::matcher

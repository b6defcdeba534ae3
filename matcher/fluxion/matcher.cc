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
      selection(graph, bookings, filters, how.policy, how.sort_equals) {
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

// True if what jobs hold below a vertex from the time on shows at the vertex.
// At present it does not if jobs hold vertices before their start or after
// their end.
bool Matcher::State::Tidy(Time at, bool now) const {
  if (odd_jobs > 0) return false;
  return !now ||
         (last_start <= at && (ends.empty() || ends.begin()->first > at));
}

// Selects for the first of the prepared requests for which all is found. Null:
// none of them fits.
const JobRequest* Matcher::State::Select(const Selection::Times& times) {
  for (const JobRequest& each : prepared) {
    if (selection.Run(each, times)) return &each;
  }
  return nullptr;
}

bool Matcher::State::Satisfiable() {
  Selection::Times times;
  times.duration = prepared.front().duration;
  times.at = kForever - times.duration - 1;
  times.status = false;
  times.steady = Steady(times.at);
  times.tidy = Tidy(times.at, false);
  return Select(times) != nullptr;
}

Match Matcher::State::Reserve(JobId id, MatchOp op, Time now) {
  const JobRequest& any = prepared.front();  // they need the same
  Match none;
  const MultiPlanner* filter = filters.At(graph.root());
  if (filter == nullptr) {
    none.outcome = MatchOutcome::kInvalid;
    none.error = "the root has no pruning filter to plan by";
    return none;
  }
  std::vector<std::int64_t> needs;
  for (const TypeId type : filter->types()) {
    needs.push_back(any.total.units[type]);
  }
  const MatchOutcome how = op == MatchOp::kAllocateOrElseReserve
                               ? MatchOutcome::kReserved
                               : MatchOutcome::kMatched;
  auto at = filter->FirstTime(now + 1, any.duration, needs);
  for (; at; at = filter->FirstTime(*at + 1, any.duration, needs)) {
    const JobRequest* fits =
        Select({*at, any.duration, false, true, Steady(*at), Tidy(*at, false)});
    if (fits != nullptr) return Book(id, *fits, *at, how);
  }
  none.outcome =
      Satisfiable() ? MatchOutcome::kBusy : MatchOutcome::kUnsatisfiable;
  return none;
}

Match Matcher::State::Search(JobId id, MatchOp op, Time at) {
  const auto say = [](MatchOutcome outcome) {
    Match answer;
    answer.outcome = outcome;
    return answer;
  };
  now = at;
  if (op == MatchOp::kSatisfiability) {
    return say(Satisfiable() ? MatchOutcome::kSatisfiable
                             : MatchOutcome::kUnsatisfiable);
  }
  const bool tells = op == MatchOp::kAllocateWithSatisfiability;
  const JobRequest& any = prepared.front();
  if (!EnoughNodes(any, op, at)) {
    return say(tells ? MatchOutcome::kUnsatisfiable : MatchOutcome::kBusy);
  }
  const bool looks = op == MatchOp::kWithoutAllocating ||
                     op == MatchOp::kWithoutAllocatingFuture;
  const JobRequest* fits =
      Select({at, any.duration, true, true, Steady(at), Tidy(at, true)});
  if (fits != nullptr) {
    return Book(id, *fits, at,
                looks ? MatchOutcome::kMatched : MatchOutcome::kAllocated);
  }
  if (op == MatchOp::kAllocateOrElseReserve ||
      op == MatchOp::kWithoutAllocatingFuture) {
    return Reserve(id, op, at);
  }
  const bool never = tells && !Satisfiable();
  return say(never ? MatchOutcome::kUnsatisfiable : MatchOutcome::kBusy);
}

// Makes the requests that a jobspec stands for. Returns what is wrong with it,
// if anything.
std::string Matcher::State::Prepare(const Jobspec& jobspec) {
  prepared.clear();
  variants.clear();
  auto whole = MakeJobRequest(jobspec, options.flexible, graph, filters);
  if (!whole) {
    return "Value of \"type\" must be a resource type known to fluxion";
  }
  prepared_top = jobspec.top;
  prepared_resources = jobspec.resources;
  if (!options.flexible || !HasXorSlots(jobspec)) {
    prepared.push_back(*std::move(whole));
    return "";
  }
  variants = ExpandXorSlots(jobspec);
  for (const XorVariant& variant : variants) {
    prepared.push_back(MakeVariantRequest(variant, *whole, graph, filters));
  }
  return variants.empty() ? "xor_slots make more than 1000 jobspecs" : "";
}

Match Matcher::State::Find(JobId id, const Jobspec& jobspec, MatchOp op,
                           Time at) {
  Match match;
  match.outcome = MatchOutcome::kInvalid;
  const auto duration = DurationOf(jobspec);
  if (!duration) {
    match.error = "the duration is negative or longer than the graph's time";
    return match;
  }
  const bool same = !prepared.empty() && prepared_top == jobspec.top &&
                    prepared_resources == jobspec.resources;
  if (!same) match.error = Prepare(jobspec);
  if (!match.error.empty()) return match;
  for (std::size_t i = 0; i < prepared.size(); ++i) {
    prepared[i].spec = &jobspec;
    if (!variants.empty()) {
      variants[i].jobspec.constraint = jobspec.constraint;
      prepared[i].spec = &variants[i].jobspec;
    }
    prepared[i].duration = *duration;
  }
  return Search(id, op, at);
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
  const bool books = op == MatchOp::kAllocate ||
                     op == MatchOp::kAllocateWithSatisfiability ||
                     op == MatchOp::kAllocateOrElseReserve;
  if (books && state_->jobs.contains(id)) {
    match.error = "the job holds something already";
    return match;
  }
  if (now < 0 || now > state_->options.end) {
    match.error = "the time is outside of the graph's";
    return match;
  }
  const std::int64_t visits = state_->selection.visits();
  const std::int64_t finds = state_->selection.finds();
  match = state_->Find(id, jobspec, op, now);
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

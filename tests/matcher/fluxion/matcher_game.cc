#include "tests/matcher/fluxion/matcher_game.h"

#include <fmt/format.h>

#include <set>

#include "matcher/planner/pruning_filters.h"
#include "tests/matcher/random/random_jobspec.h"

namespace fluxnetes::matcher {
namespace {

constexpr const char* kGamePolicies[] = {
    "first",  "firstnodex", "low",     "high",     "lonode",
    "hinode", "lonodex",    "hinodex", "locality", "variation"};

}  // namespace

MatcherGame::MatcherGame(unsigned seed) : MatcherGame(seed, Random(seed)) {}

MatcherGame::MatcherGame(unsigned seed, Random drawing)
    : random(seed + 1'000'000),
      policy(kGamePolicies[drawing.Below(std::size(kGamePolicies))]),
      matcher(ResourceGraph(), {}),
      plan_(RandomGraph(
          drawing, drawing.OneIn(3) ? GraphSize::kDeep : GraphSize::kSmall)) {
  // JGF cannot express a job that gets one unit of a root of two.
  for (GraphPlan::Entry& entry : plan_.entries) {
    if (entry.vertex.type != "memory") entry.vertex.size = 1;
  }
  matcher = Empty();
  for (int i = 0; i < 8; ++i) {
    specs_.push_back(drawing.OneIn(2) ? CommonJobspec(drawing, 4)
                                      : RandomJobspec(drawing, plan_.types,
                                                      /*flexible=*/false, 3));
    if (specs_.back().duration == 0) specs_.back().duration = 15;
  }
}

Matcher MatcherGame::Empty() const {
  return Matcher(plan_.Make(), {.policy = *ParsePolicy(policy)});
}

Jobspec MatcherGame::AnyJobspec() {
  return specs_[random.Below(static_cast<int>(specs_.size()))];
}

JobId MatcherGame::Ask() {
  const auto op =
      random.OneIn(2) ? MatchOp::kAllocate : MatchOp::kAllocateOrElseReserve;
  Match match = matcher.Run(++last_job_, AnyJobspec(), op, 0);
  if (!match.found()) return 0;
  held[last_job_] = std::move(match);
  return last_job_;
}

void MatcherGame::Cancel(JobId job) {
  matcher.Cancel(job);
  held.erase(job);
}

JobId MatcherGame::AnyJob() {
  return std::next(held.begin(), random.Below(static_cast<int>(held.size())))
      ->first;
}

std::string MatcherGame::State(const Matcher& of) const {
  std::set<Time> moments = {0};
  for (const auto& [job, match] : held) {
    moments.insert(match.at);
    moments.insert(match.at + match.duration);
  }
  std::string state;
  for (VertexIndex v = 0; v < of.graph().size(); ++v) {
    state += fmt::format("{}: {} {}", of.graph().Path(v), of.allocations(v),
                         of.reservations(v));
    if (const MultiPlanner* filter = of.filters().At(v)) {
      for (std::size_t i = 0; i < filter->types().size(); ++i) {
        state += fmt::format("; {}", filter->types()[i]);
        for (const Time at : moments) {
          state += fmt::format(" {}", of.FilterUse(v, at)[i]);
        }
      }
    }
    for (const auto& [job, match] : held) {
      const auto hold = of.HoldOf(job, v);
      if (!hold.tagged) continue;
      state +=
          fmt::format("; job {} {} {}", job, hold.exclusive, hold.filtered);
      for (const std::int64_t units : hold.units) {
        state += fmt::format(" {}", units);
      }
    }
    state += "\n";
  }
  return state;
}

}  // namespace fluxnetes::matcher

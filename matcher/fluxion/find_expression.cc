#include "matcher/fluxion/find_expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "matcher/graph/text_sets.h"
#include "matcher/planner/pruning_filters.h"

namespace fluxnetes::matcher {
namespace {

// Splits the text into words and single parentheses.
std::vector<std::string_view> Split(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t i = 0; i < text.size();) {
    if (std::isspace(static_cast<unsigned char>(text[i])) != 0) {
      ++i;
      continue;
    }
    std::size_t length = 1;
    if (text[i] != '(' && text[i] != ')') {
      length = std::min(text.find_first_of("() \t\r\n", i), text.size()) - i;
    }
    words.push_back(text.substr(i, length));
    i += length;
  }
  return words;
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return lower;
}

}  // namespace

std::optional<FindExpression::Step> FindExpression::ParseTest(
    std::string_view text) {
  const auto equals = text.find('=');
  if (equals == std::string_view::npos || equals + 1 == text.size()) return {};
  const std::string_view name = text.substr(0, equals);
  const std::string value = Lower(text.substr(equals + 1));
  Step step;
  const auto choose = [&](Predicate predicate, std::string_view yes,
                          std::string_view no) -> std::optional<Step> {
    step.predicate = predicate;
    step.yes = value == yes;
    if (value != yes && value != no) return std::nullopt;
    return step;
  };
  const auto job = [&](Predicate predicate) -> std::optional<Step> {
    step.predicate = predicate;
    const char* end = value.data() + value.size();
    const auto [at, error] = std::from_chars(value.data(), end, step.job);
    if (error != std::errc() || at != end) return std::nullopt;
    return step;
  };
  if (name == "status") return choose(Predicate::kStatus, "up", "down");
  if (name == "sched-now") return choose(Predicate::kNow, "allocated", "free");
  if (name == "sched-future") {
    return choose(Predicate::kFuture, "reserved", "free");
  }
  if (name == "agfilter") {
    step.predicate = Predicate::kFilter;
    step.yes = value == "true" || value == "t";
    if (!step.yes && value != "false" && value != "f") return std::nullopt;
    return step;
  }
  if (name == "jobid-alloc") return job(Predicate::kJobAllocated);
  if (name == "jobid-reserved") return job(Predicate::kJobReserved);
  if (name == "jobid-span") return job(Predicate::kJobSpan);
  if (name == "jobid-tag") return job(Predicate::kJobTag);
  if (name == "names") {
    step.predicate = Predicate::kNames;
    step.names = HostList::Parse(text.substr(equals + 1));
    if (!step.names) return std::nullopt;
    return step;
  }
  if (name != "property") return std::nullopt;
  step.predicate = Predicate::kProperty;
  step.key = text.substr(equals + 1);
  return step;
}

std::optional<FindExpression> FindExpression::Parse(std::string_view text) {
  using Kind = Step::Kind;
  if (text.size() > kMaxFindBytes) return std::nullopt;
  FindExpression expression;
  // Operators that wait for their right operand; nullopt is an open
  // parenthesis.
  std::vector<std::optional<Kind>> waiting;
  bool want_test = true;
  const auto reduce = [&] {
    while (!waiting.empty() && waiting.back()) {
      Step step;
      step.kind = *waiting.back();
      expression.steps_.push_back(step);
      waiting.pop_back();
    }
  };
  const auto join = [&](Kind kind) {
    reduce();
    waiting.emplace_back(kind);
    want_test = true;
  };
  for (const std::string_view word : Split(text)) {
    if (word == ")") {
      if (want_test) return std::nullopt;
      reduce();
      if (waiting.empty()) return std::nullopt;
      waiting.pop_back();
      continue;
    }
    if (word == "and" || word == "or") {
      if (want_test) return std::nullopt;
      join(word == "and" ? Kind::kAnd : Kind::kOr);
      continue;
    }
    if (!want_test) join(Kind::kAnd);
    if (word == "(") {
      waiting.emplace_back(std::nullopt);
      continue;
    }
    const auto step = ParseTest(word);
    if (!step) return std::nullopt;
    if (step->predicate == Predicate::kFilter) expression.filters_ = step->yes;
    if (step->job != 0) expression.job_ = step->job;
    expression.steps_.push_back(*step);
    want_test = false;
  }
  if (want_test) return std::nullopt;
  reduce();
  if (!waiting.empty()) return std::nullopt;
  return expression;
}

bool FindExpression::Holds(const Step& step, const Matcher& matcher,
                           VertexIndex v, Standing standing) {
  switch (step.predicate) {
    case Predicate::kStatus:
      return standing.down != step.yes;
    case Predicate::kNow:
      return standing.allocated == step.yes;
    case Predicate::kFuture:
      return standing.reserved == step.yes;
    case Predicate::kJobAllocated:
      return matcher.HoldOf(step.job, v).exclusive &&
             !matcher.Reserved(step.job);
    case Predicate::kJobReserved:
      return matcher.HoldOf(step.job, v).exclusive &&
             matcher.Reserved(step.job);
    case Predicate::kJobSpan:
      return matcher.HoldOf(step.job, v).filtered;
    case Predicate::kJobTag:
      return matcher.HoldOf(step.job, v).tagged;
    case Predicate::kFilter:
      return step.yes;
    case Predicate::kNames:
      return step.names->Contains(matcher.graph().Name(v));
    case Predicate::kProperty:
      break;
  }
  const Properties* properties = matcher.graph().PropertiesOf(v);
  return properties != nullptr && properties->contains(step.key);
}

bool FindExpression::Holds(const Matcher& matcher, VertexIndex v,
                           Standing standing) const {
  std::vector<char> stack;
  for (const Step& step : steps_) {
    if (step.kind == Step::Kind::kTest) {
      stack.push_back(Holds(step, matcher, v, standing) ? 1 : 0);
      continue;
    }
    const char right = stack.back();
    stack.pop_back();
    char& left = stack.back();
    left = step.kind == Step::Kind::kAnd ? (left & right) : (left | right);
  }
  return stack.back() != 0;
}

// True if the vertex has a filter, in which the job of the expression, if there
// is one, has something.
bool FindExpression::ShowsFilter(const Matcher& matcher, VertexIndex v) const {
  return matcher.filters().At(v) != nullptr &&
         (!job_ || matcher.HoldOf(*job_, v).filtered);
}

std::string FindExpression::FilterOf(const Matcher& matcher, VertexIndex v,
                                     Time wall_clock) const {
  const MultiPlanner& filter = *matcher.filters().At(v);
  const std::size_t types = filter.types().size();
  std::vector<std::int64_t> used(types);
  if (job_) {
    const auto units = matcher.HoldOf(*job_, v).units;
    std::copy(units.begin(), units.end(), used.begin());
  } else {
    for (const Time at : {wall_clock, Time{0}}) {
      used = matcher.FilterUse(v, at);
      if (std::any_of(used.begin(), used.end(),
                      [](std::int64_t units) { return units != 0; })) {
        break;
      }
    }
  }
  std::string text = "{";
  for (std::size_t i = 0; i < types; ++i) {
    text +=
        fmt::format("{}{}: \"used:{}, total:{}\"", i == 0 ? "" : ", ",
                    JsonQuoted(matcher.graph().type_names()[filter.types()[i]]),
                    used[i], filter.planner(static_cast<int>(i)).total());
  }
  return text + "}";
}

std::vector<Taken> FindExpression::Find(const Matcher& matcher,
                                        Time wall_clock) const {
  const ResourceGraph& graph = matcher.graph();
  struct Level {
    VertexIndex v;
    EdgeIndex way;
    EdgeIndex next;
    Standing standing;
    bool below = false;  // something below it was found
  };
  std::vector<Taken> found;
  std::vector<Level> levels;
  std::vector<char> seen(graph.size());
  const auto enter = [&](VertexIndex v, EdgeIndex way, Standing standing) {
    seen[v] = 1;
    standing.down = standing.down || !graph.up(v);
    standing.allocated = standing.allocated || matcher.allocations(v) > 0;
    standing.reserved = standing.reserved || matcher.reservations(v) > 0;
    levels.push_back({v, way, graph.FirstOut(v), standing});
  };
  if (graph.root() == kNoVertex) return found;
  for (enter(graph.root(), kNoEdge, {}); !levels.empty();) {
    Level& level = levels.back();
    if (level.next != kNoEdge) {
      const EdgeIndex e = level.next;
      level.next = graph.NextOut(e);
      const Standing standing = level.standing;
      if (seen[graph.target(e)] == 0) enter(graph.target(e), e, standing);
      continue;
    }
    const Level done = level;
    levels.pop_back();
    if (!done.below && !Holds(matcher, done.v, done.standing)) continue;
    if (filters_ && !ShowsFilter(matcher, done.v)) continue;
    if (!levels.empty()) levels.back().below = true;
    found.push_back({done.v, done.way, graph.units(done.v), true});
    if (!filters_) continue;
    found.back().note = std::make_shared<const TakenNote>(
        TakenNote{"", FilterOf(matcher, done.v, wall_clock)});
  }
  return found;
}

}  // namespace fluxnetes::matcher

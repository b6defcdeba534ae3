// NodeInterior and the real Matcher, on the same random node, are asked the
// same random jobspecs over time, and must take the same vertices. A failing
// run names its seed; FLUXNETES_TEST_SEED runs it alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "matcher/fluxion/matcher.h"
#include "matcher/inside/node_interior.h"
#include "matcher/jobspec/xor_slots.h"
#include "tests/matcher/random/random_graph.h"
#include "tests/matcher/random/random_jobspec.h"

namespace fluxnetes::matcher {
namespace {

// Makes a random node, its vertices in pre-order. `types` gets the types of
// inner vertices, from the bottom.
class NodeDrawing {
 public:
  explicit NodeDrawing(Random& random) : random_(random) {}

  ResourceGraph Make(std::vector<std::string>& types) {
    for (const char* type : {"numa", "island", "socket"}) {
      if (!random_.OneIn(3)) types.emplace_back(type);
    }
    const VertexIndex node = Add("node", kNoVertex);
    graph_.SetRoot(node);
    Fill(node, types, static_cast<int>(types.size()));
    return std::move(graph_);
  }

 private:
  VertexIndex Add(const std::string& type, VertexIndex above) {
    Vertex vertex;
    const int number = numbers_[type]++;
    vertex.type = vertex.basename = type;
    vertex.name = type + std::to_string(number);
    vertex.id = random_.OneIn(10) ? random_.Below(4) : number;
    vertex.uniq_id = graph_.size();
    const bool node = above == kNoVertex;
    if (type == "memory") vertex.size = random_.Between(1, 4);
    vertex.up = node || !random_.OneIn(40);
    if (random_.OneIn(5)) {
      vertex.properties["perf_class"] = std::to_string(random_.Below(4));
    }
    const VertexIndex v = graph_.AddVertex(vertex);
    if (!node) graph_.AddEdge(above, v);
    return v;
  }

  void Fill(VertexIndex above, const std::vector<std::string>& types,
            int level) {
    if (level > 0) {
      for (int i = random_.Between(1, 3); i > 0; --i) {
        Fill(Add(types[level - 1], above), types, level - 1);
      }
      if (!random_.OneIn(5)) return;  // leaves beside inner vertices
    }
    for (const char* type : {"core", "gpu", "memory"}) {
      for (int i = random_.Below(5); i > 0; --i) Add(type, above);
    }
  }

  Random& random_;
  ResourceGraph graph_;
  std::map<std::string, int> numbers_;
};

constexpr NodeIndex kDuelNode = 3;

class InsideDuel {
 public:
  explicit InsideDuel(unsigned seed)
      : random_(seed),
        flexible_(random_.OneIn(3)),
        policy_(*ParsePolicy(kPolicies[random_.Below(4)])),
        graph_(NodeDrawing(random_).Make(types_)),
        matcher_(graph_, {.policy = policy_,
                          .prune_filters = flexible_ ? "" : "ALL:core",
                          .flexible = flexible_}),
        interior_({.policy = policy_}) {
    interior_.Set(kDuelNode, graph_);
  }

  void Step() {
    if (random_.OneIn(3)) PassTime();
    if (random_.OneIn(3) && !ends_.empty()) {
      auto at = ends_.begin();
      std::advance(at, random_.Below(static_cast<int>(ends_.size())));
      End(at->first);
    } else {
      Ask();
    }
  }

  int found() const { return found_; }

 private:
  static constexpr const char* kPolicies[] = {"low", "high", "locality",
                                              "variation"};

  void PassTime() {
    now_ += random_.Below(15);
    std::vector<JobId> over;
    for (const auto& [job, end] : ends_) {
      if (end <= now_) over.push_back(job);
    }
    for (const JobId job : over) End(job);
  }

  void End(JobId job) {
    EXPECT_TRUE(matcher_.Cancel(job));
    EXPECT_TRUE(interior_.Cancel(job));
    ends_.erase(job);
  }

  InsideRequest RequestFor(const Jobspec& jobspec) const {
    InsideRequest request;
    if (!flexible_ || !HasXorSlots(jobspec)) {
      request.choices.push_back({jobspec, false, flexible_});
      return request;
    }
    for (const XorVariant& variant : ExpandXorSlots(jobspec)) {
      request.choices.push_back(
          {variant.jobspec, false, true, variant.origins, jobspec});
    }
    return request;
  }

  void Ask() {
    Jobspec jobspec = RandomJobspec(random_, types_, flexible_, 4);
    jobspec.constraint = {};
    jobspec.duration = random_.Between(1, 40);
    const InsideRequest request = RequestFor(jobspec);
    if (request.choices.empty()) return;
    SCOPED_TRACE(Show(jobspec));
    const JobId job = next_job_++;
    const bool later = !flexible_ && random_.OneIn(3);
    const Match match = matcher_.Run(
        job, jobspec,
        later ? MatchOp::kAllocateOrElseReserve : MatchOp::kAllocate, now_);
    // A Matcher refuses all alternatives if it does not know a type of one.
    if (match.outcome == MatchOutcome::kInvalid) return;
    const ShapeId shape = interior_.Take(request);
    const auto length = static_cast<Time>(jobspec.duration);
    if (!match.found()) {
      const InsideWindow window{now_, now_ + length, now_};
      EXPECT_EQ(interior_.Fit(kDuelNode, shape, 1, window), 0);
      EXPECT_FALSE(interior_.Book(job, 0, kDuelNode, shape, window));
    } else {
      ++found_;
      const InsideWindow window{match.at, match.at + length, now_};
      EXPECT_EQ(interior_.Fit(kDuelNode, shape, 1, window), 1);
      std::vector<VertexIndex> taken;
      for (const Taken& one : match.taken) {
        if (one.exclusive) taken.push_back(one.vertex);
      }
      std::sort(taken.begin(), taken.end());
      EXPECT_EQ(interior_.Book(job, 0, kDuelNode, shape, window), taken);
      ends_[job] = window.end;
    }
    interior_.Give(shape);
  }

  Random random_;
  bool flexible_;
  Policy policy_;
  std::vector<std::string> types_;
  ResourceGraph graph_;
  Matcher matcher_;
  NodeInterior interior_;
  Time now_ = 100;
  JobId next_job_ = 1;
  std::map<JobId, Time> ends_;
  int found_ = 0;
};

TEST(NodeInteriorAndMatcher, TakeTheSameVertices) {
  const char* only = std::getenv("FLUXNETES_TEST_SEED");
  const bool is_long = std::getenv("FLUXNETES_TEST_LONG") != nullptr;
  const unsigned first = only == nullptr ? 1 : std::strtoul(only, nullptr, 10);
  const unsigned last = only == nullptr ? (is_long ? 40'000 : 400) : first;
  int found = 0;
  for (unsigned seed = first; seed <= last; ++seed) {
    SCOPED_TRACE("FLUXNETES_TEST_SEED=" + std::to_string(seed));
    InsideDuel duel(seed);
    for (int step = 0; step < 60; ++step) {
      duel.Step();
      ASSERT_FALSE(::testing::Test::HasFailure());
    }
    found += duel.found();
  }
  // Otherwise the duels show little.
  EXPECT_TRUE(only != nullptr || found > 2'000) << found;
}

}  // namespace
}  // namespace fluxnetes::matcher

// The matcher against the plain one: the same random requests on the same
// random graphs, answer by answer.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "tests/matcher/plain_matcher.h"
#include "tests/matcher/tree_picture.h"

namespace fluxnetes::matcher {
namespace {

constexpr const char* kPolicies[] = {
    "first",  "firstnodex", "low",     "high",     "lonode",
    "hinode", "lonodex",    "hinodex", "locality", "variation"};

class Duel {
 public:
  explicit Duel(unsigned seed)
      : random_(seed),
        policy_(kPolicies[Below(std::size(kPolicies))]),
        matcher_(Tree(Picture()), {.policy = *MatchPolicy::Parse(policy_)}),
        plain_(matcher_.graph(), policy_) {
    for (VertexIndex v = 0; v < matcher_.graph().size(); ++v) {
      if (Below(4) == 0) {
        matcher_.SetProperty(matcher_.graph().Path(v), "perf_class",
                             std::to_string(Below(5)));
      }
    }
  }

  void Fight(int rounds) {
    for (int i = 0; i < rounds; ++i) {
      const int move = Below(10);
      if (move < 2 && !held_.empty()) {
        Cancel();
      } else if (move == 2) {
        ChangeStatus();
      } else {
        ASSERT_NO_FATAL_FAILURE(Match());
      }
    }
  }

 private:
  int Below(int most) {
    return std::uniform_int_distribution<int>(0, most - 1)(random_);
  }

  std::string Picture() {
    std::string picture;
    const int racks = 1 + Below(3);
    const bool sockets = Below(2) == 0;
    for (int r = 0; r < racks; ++r) {
      const int nodes = 1 + Below(4);
      for (int n = 0; n < nodes; ++n) {
        const std::string node =
            "cluster0/rack" + std::to_string(r) + "/node" +
            std::to_string(Below(2) == 0 ? 10 * r + n : 90 - 10 * r - n);
        const int parts = sockets ? 1 + Below(2) : 1;
        for (int s = 0; s < parts; ++s) {
          picture += node + (sockets ? "/socket" + std::to_string(s) : "") +
                     " core=" + std::to_string(1 + Below(5)) +
                     " gpu=" + std::to_string(Below(3)) +
                     " memory=" + std::to_string(Below(4)) + "*" +
                     std::to_string(1 + Below(4)) + "\n";
        }
      }
    }
    return picture;
  }

  std::string Number() {
    switch (Below(6)) {
      case 0:
        return "{min: 1, max: " + std::to_string(1 + Below(4)) +
               ", operator: +, operand: 1}";
      case 1:
        return "{min: 1}";
      default:
        return std::to_string(1 + Below(3));
    }
  }

  std::string Resource(const char* type, const std::string& with) {
    std::string yaml = std::string("{type: ") + type + ", count: " + Number();
    if (std::string_view(type) == "slot") yaml += ", label: a";
    if (Below(8) == 0) {
      yaml += Below(3) == 0 ? ", exclusive: false" : ", exclusive: true";
    }
    return yaml + (with.empty() ? "" : ", with: [" + with + "]") + "}";
  }

  // Levels of the graph, some left out, with a slot somewhere or nowhere.
  Jobspec Request() {
    std::string yaml = Resource("core", "");
    if (Below(3) == 0) yaml += ", " + Resource("gpu", "");
    if (Below(4) == 0) yaml += ", " + Resource("memory", "");
    const int slot_at = Below(6);
    int place = 0;
    for (const char* type : {"socket", "node", "rack", "cluster"}) {
      if (slot_at == place++) yaml = Resource("slot", yaml);
      if (std::string_view(type) == "socket" ? Below(2) == 0 : Below(4) == 0) {
        continue;
      }
      yaml = Resource(type, yaml);
    }
    if (slot_at == place) yaml = Resource("slot", yaml);
    return ParseJobspec("{version: 1, tasks: [], resources: [" + yaml +
                        "], attributes: {system: {duration: " +
                        std::to_string(10 * Below(6)) + "}}}");
  }

  void Match() {
    const Jobspec jobspec = Request();
    const auto op = static_cast<MatchOp>(Below(4));
    const JobId job = ++last_job_;
    const auto fast = matcher_.Run(job, jobspec, op, 0);
    const auto plain = plain_.Run(job, jobspec, op);
    ASSERT_EQ(Show(matcher_.graph(), fast), Show(matcher_.graph(), plain))
        << policy_ << " job " << job << " op " << static_cast<int>(op);
    if (fast.found()) held_.push_back(job);
  }

  void Cancel() {
    const int which = Below(static_cast<int>(held_.size()));
    EXPECT_TRUE(matcher_.Cancel(held_[which]));
    plain_.Cancel(held_[which]);
    held_.erase(held_.begin() + which);
  }

  void ChangeStatus() {
    const VertexIndex v = Below(matcher_.graph().size());
    const bool up = Below(3) != 0;
    matcher_.SetUp(matcher_.graph().Path(v), up);
    plain_.SetUp(v, up);
  }

  std::mt19937 random_;
  std::string policy_;
  Matcher matcher_;
  PlainMatcher plain_;
  std::vector<JobId> held_;
  JobId last_job_ = 0;
};

TEST(MatcherAgainstPlain, AnswersAreTheSame) {
  const bool long_run = std::getenv("FLUXNETES_TEST_LONG") != nullptr;
  const int duels = long_run ? 20'000 : 200;
  for (int seed = 1; seed <= duels; ++seed) {
    SCOPED_TRACE(seed);
    Duel(static_cast<unsigned>(seed)).Fight(50);
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace fluxnetes::matcher

// Slots of one level as alternatives (-T flexible), by Fluxion's rules.
#include <gtest/gtest.h>

#include "matcher/fluxion/matcher.h"
#include "tests/matcher/random/tree_picture.h"

namespace fluxnetes::matcher {
namespace {

constexpr const char* kWithGpus = R"(
    cluster0/node0 core=4 gpu=2
    cluster0/node1 core=4 gpu=2)";

std::string One(const std::string& type, int count,
                const std::string& with = "") {
  return "{type: " + type + ", count: " + std::to_string(count) +
         (type.ends_with("slot") ? ", label: task" : "") +
         (with.empty() ? "" : ", with: [" + with + "]") + "}";
}

Jobspec Spec(const std::string& resources, int duration = 100) {
  return ParseJobspec(
      "{version: 9999, tasks: [], attributes: {system: "
      "{duration: " +
      std::to_string(duration) + "}}, resources: [" + resources + "]}");
}

class Alternatives {
 public:
  explicit Alternatives(std::string_view picture,
                        const std::string& filters = "ALL:core,ALL:node")
      : matcher_(Tree(picture), {.policy = Policy::kLow,
                                 .prune_filters = filters,
                                 .flexible = true}) {}

  std::string Run(const Jobspec& jobspec, MatchOp op = MatchOp::kAllocate) {
    return Show(matcher_.graph(), matcher_.Run(++job_, jobspec, op, 0));
  }

 private:
  Matcher matcher_;
  JobId job_ = 0;
};

TEST(MatcherAlternatives, EachIsTriedBeforeALaterTimeIs) {
  Alternatives session(kWithGpus);
  session.Run(Spec(One("slot", 2, One("core", 4))));
  const std::string either = One("xor_slot", 1, One("core", 4)) + "," +
                             One("xor_slot", 1, One("gpu", 2));
  const auto reserve = MatchOp::kAllocateOrElseReserve;
  EXPECT_EQ(session.Run(Spec(either), reserve),
            "gpu0:x gpu1:x node0:s cluster0:s");
  EXPECT_EQ(session.Run(Spec(either), reserve),
            "gpu0:x gpu1:x node1:s cluster0:s");
  EXPECT_EQ(session.Run(Spec(either), reserve),
            "at 100: core0:x core1:x core2:x core3:x node0:s cluster0:s");
}

TEST(MatcherAlternatives, OneIsEnoughToBeSatisfiable) {
  Alternatives session(kWithGpus);
  const std::string never = One("xor_slot", 1, One("core", 9));
  const std::string fits = One("xor_slot", 1, One("gpu", 2));
  const auto ask = [&](const std::string& resources) {
    return session.Run(Spec(resources), MatchOp::kSatisfiability);
  };
  EXPECT_EQ(ask(never + "," + fits), "satisfiable");
  EXPECT_EQ(ask(never + "," + never), "unsatisfiable");
}

TEST(MatcherAlternatives, TypeThatOneTakesWholeIsWholeInAll) {
  std::string whole = One("node", 1, One("core", 9));
  whole.insert(1, "exclusive: true, ");
  const std::string part = One("node", 1, One("core", 1));
  const std::string all =
      "core0:x core1:x core2:x core3:x gpu0:x gpu1:x node0:x cluster0:s";
  EXPECT_EQ(Alternatives(kWithGpus).Run(Spec(One("xor_slot", 1, whole) + "," +
                                             One("xor_slot", 1, part))),
            all);
  EXPECT_EQ(Alternatives(kWithGpus).Run(Spec(One("xor_slot", 1, part))),
            "core0:x node0:x cluster0:s");
}

TEST(MatcherAlternatives, NeedsDependOnTheirOrder) {
  Alternatives session(kWithGpus, "ALL:core,ALL:gpu");
  const std::string fits = One("slot", 1, One("core", 1));
  const std::string never = One("slot", 1, One("gpu", 3));
  const Jobspec never_last = Spec(One("node", 1, fits + "," + never));
  EXPECT_EQ(session.Run(never_last), "busy");
  EXPECT_EQ(session.Run(Spec(One("node", 1, never + "," + fits))),
            "core0:x node0:s cluster0:s");
  EXPECT_EQ(session.Run(never_last, MatchOp::kSatisfiability), "unsatisfiable");
}

TEST(MatcherAlternatives, NeedsOfAllPruneEach) {
  const std::string fits = One("xor_slot", 1, One("core", 1));
  const std::string never = One("xor_slot", 1, One("gpu", 3));
  const auto ask = [&](const std::string& slots) {
    return Alternatives(kWithGpus, "ALL:core,ALL:gpu")
        .Run(Spec(One("node", 1, slots)));
  };
  EXPECT_EQ(ask(never + "," + fits), "core0:x node0:s cluster0:s");
  EXPECT_EQ(ask(fits + "," + never), "busy");
}

TEST(MatcherAlternatives, VertexThatCannotPackItsSlotIsNotTaken) {
  const Jobspec skips = Spec(One("node", 1, One("slot", 1, One("core", 1))));
  constexpr const char* kSockets = "cluster0/node0/socket0 core=2";
  EXPECT_EQ(Alternatives(kSockets).Run(skips, MatchOp::kSatisfiability),
            "unsatisfiable");
  Matcher simple(Tree(kSockets), {.policy = Policy::kLow});
  EXPECT_EQ(simple.Run(1, skips, MatchOp::kSatisfiability, 0).outcome,
            MatchOutcome::kSatisfiable);
}

TEST(MatcherAlternatives, UnitsWithoutVerticesForThemGiveNoSlot) {
  constexpr const char* kPools = R"(
      cluster0/node0 core=2 memory=1*4
      cluster0/node1 core=2 memory=1*4)";
  const auto with = [](int memory) {
    return One("slot", 1, One("memory", memory) + "," + One("core", 1));
  };
  EXPECT_EQ(Alternatives(kPools).Run(Spec(with(3) + "," + with(1))), "busy");
  EXPECT_EQ(Alternatives(kPools).Run(Spec(with(3) + "," + with(4))),
            "core0:x memory0*4:x node0:s cluster0:s");
}

TEST(MatcherAlternatives, RangesTakeOfWhatIsLeft) {
  // A slot of cores takes all four. One such slot and two of a gpu are three.
  const std::string range =
      "{type: core, count: {min: 1, max: 9, operator: '+', operand: 1}}";
  const auto ask = [&](int slots) {
    return Alternatives("cluster0/node0 core=4 gpu=2")
        .Run(Spec(One("slot", slots, range) + "," +
                  One("slot", slots, One("gpu", 1))));
  };
  EXPECT_EQ(ask(3),
            "core0:x core1:x core2:x core3:x gpu0:x gpu1:x node0:s cluster0:s");
  EXPECT_EQ(ask(4), "busy");
}

}  // namespace
}  // namespace fluxnetes::matcher

// Random moves on one node over time: NodeInterior and its plain twin must
// agree, what must hold is checked after each move, and the same checks find
// planted faults. A failing run names its seed; FLUXNETES_TEST_SEED runs it
// alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "matcher/inside/node_interior.h"
#include "matcher/inside/node_structure.h"
#include "matcher/inside/short_structure.h"
#include "tests/matcher/inside/plain_inside.h"
#include "tests/matcher/random/random_graph.h"

namespace fluxnetes::matcher {
namespace {

constexpr NodeIndex kPlayNode = 1;
constexpr int kLimit = 200;  // more than ever fit

// The structure with its vertices numbered as an interior numbers them.
ResourceGraph InPreOrder(const std::string& structure) {
  return NodeStructure(ReadShortStructure(structure), 0).graph();
}

// A fault of the interior that a test plants: what it answers is changed
// before the checks see it.
struct PlantedFault {
  bool fits_one_more = false;
  bool forgets_a_row = false;
  bool takes_another_vertex = false;
  bool takes_a_held_vertex = false;
};

class InsidePlay {
 public:
  explicit InsidePlay(unsigned seed, const PlantedFault& fault = {})
      : random_(seed),
        fault_(fault),
        structure_(RandomStructure()),
        plain_(InPreOrder(structure_)) {
    interior_.Set(kPlayNode, ReadShortStructure(structure_));
  }

  // Makes a move; returns what is wrong then.
  std::string Step() {
    now_ += random_.Below(8);
    const int what = random_.Below(10);
    if (what < 5) return Book();
    if (what < 7) return End();
    if (what < 8) return CompareFit();
    if (what < 9) return CompareRebuilt();
    return ChangeStructure();
  }

  const std::string& structure() const { return structure_; }
  int booked() const { return booked_; }

 private:
  std::string RandomStructure() {
    const int sockets = random_.Between(1, 3);
    const int numa = sockets * random_.Between(1, 2);
    std::string text = "sockets: " + std::to_string(sockets);
    int inner = sockets;
    if (!random_.OneIn(3)) {
      text += ", numa: " + std::to_string(numa);
      inner = numa;
    }
    if (!random_.OneIn(3)) text += ", islands: " + std::to_string(inner);
    text += ", cores: " + std::to_string(inner * random_.Between(1, 5));
    if (!random_.OneIn(3)) {
      text += ", gpus: " + std::to_string(inner * random_.Between(1, 3));
    }
    if (!random_.OneIn(3)) {
      // In equal pieces: of unequal ones, Fluxion prefers slots of few, and the
      // twin knows nothing of that.
      const int memory = inner * (8 << random_.Below(4));
      text += ", memory: " + std::to_string(memory) + "Mi";
    }
    if (random_.OneIn(2)) text += ", nics: 1";
    return text;
  }

  InsideWish RandomWish() {
    InsideWish wish;
    wish.align = static_cast<Align>(random_.Below(4));
    wish.align_required = !random_.OneIn(3);
    wish.cpus = random_.Below(6);
    if (random_.OneIn(3)) wish.memory_mib = random_.Below(30);
    if (random_.OneIn(3)) wish.gpus = random_.Below(3);
    if (random_.OneIn(8)) wish.nics = 1;
    const bool socket =
        wish.align == Align::kSocket || wish.align == Align::kAnywhere;
    wish.whole_sockets = socket && random_.OneIn(5);
    if (wish.cpus + wish.memory_mib + wish.gpus + wish.nics == 0) wish.cpus = 1;
    return wish;
  }

  InsideWindow RandomWindow() {
    const Time from = now_ + (random_.OneIn(2) ? 0 : random_.Below(40));
    return {from, from + random_.Between(1, 40), now_};
  }

  std::string Book() {
    const InsideWish wish = RandomWish();
    const InsideWindow window = RandomWindow();
    const ShapeId shape = interior_.Take(RequestOf(wish));
    int fit = interior_.Fit(kPlayNode, shape, kLimit, window);
    if (fault_.fits_one_more) ++fit;
    const JobId job = next_job_++;
    int tasks = 0;
    std::string wrong;
    for (; wrong.empty(); ++tasks) {
      auto got = interior_.Book(job, tasks, kPlayNode, shape, window);
      if (!got) break;
      ++booked_;
      const auto expected = plain_.Find(wish, window);
      PlantFault(*got);
      const std::set<VertexIndex> taken(got->begin(), got->end());
      wrong = plain_.Unsatisfied(wish, taken);
      if (!wrong.empty()) break;
      // The twin makes sure that nothing is held twice, in its own view.
      plain_.Hang({job, tasks}, {taken, window.from, window.end});
      wrong = Overdue() ? "" : plain_.HeldTwice();
      if (wrong.empty() && expected != taken) wrong = "the twin takes others";
    }
    if (wrong.empty() && tasks != fit) {
      wrong = std::to_string(fit) + " fit, " + std::to_string(tasks) +
              " were booked";
    }
    // Keep some of them.
    const int kept = wrong.empty() ? random_.Below(3) : tasks;
    for (int task = kept; task < tasks; ++task) Release({job, task});
    interior_.Give(shape);
    return wrong;
  }

  void PlantFault(std::vector<VertexIndex>& got) {
    const auto& holds = plain_.holds();
    if (fault_.takes_another_vertex && got.size() > 1) {
      got.front() = plain_.graph().size() - 1;
    }
    if (fault_.takes_a_held_vertex && !holds.empty()) {
      got.push_back(*holds.begin()->second.vertices.begin());
    }
  }

  // True if a task is past its end, so that its span does not show that it
  // holds its vertices.
  bool Overdue() const {
    return std::ranges::any_of(plain_.holds(), [&](const auto& entry) {
      return entry.second.end <= now_;
    });
  }

  void Release(PlainInside::TaskKey task) {
    EXPECT_TRUE(interior_.Release(task.first, task.second));
    plain_.Drop(task);
  }

  std::string End() {
    const auto& holds = plain_.holds();
    if (holds.empty()) return "";
    auto at = holds.begin();
    std::advance(at, random_.Below(static_cast<int>(holds.size())));
    if (random_.OneIn(2)) {
      Release(at->first);
      return "";
    }
    const JobId job = at->first.first;
    EXPECT_TRUE(interior_.Cancel(job));
    EXPECT_FALSE(interior_.Cancel(job));
    for (int task = 0; task < kLimit; ++task) plain_.Drop({job, task});
    return "";
  }

  std::string CompareFit() {
    const InsideWish wish = RandomWish();
    const InsideWindow window = RandomWindow();
    const ShapeId shape = interior_.Take(RequestOf(wish));
    const int limit = random_.Below(30);
    const int fit = interior_.Fit(kPlayNode, shape, limit, window);
    const int again = interior_.Fit(kPlayNode, shape, limit, window);
    interior_.Give(shape);
    if (fit != again) return "the second answer is another";
    return plain_.Fit(wish, limit, window) == fit ? "" : "the twin fits others";
  }

  // Makes a new interior from the rows of this one.
  NodeInterior Rebuilt(const std::string& structure) {
    NodeInterior rebuilt;
    // The structure may be known before the rows, or after.
    const bool first = random_.OneIn(2);
    if (first) rebuilt.Set(kPlayNode, ReadShortStructure(structure));
    bool forget = fault_.forgets_a_row;
    for (const auto& [task, hold] : plain_.holds()) {
      if (std::exchange(forget, false)) continue;
      rebuilt.Restore(task.first, task.second, kPlayNode,
                      interior_.PartsOf(task.first, task.second), hold.start,
                      hold.end);
    }
    if (!first) rebuilt.Set(kPlayNode, ReadShortStructure(structure));
    return rebuilt;
  }

  std::string CompareWith(NodeInterior& rebuilt) {
    if (rebuilt.Describe() != interior_.Describe()) {
      return "memory is not what is rebuilt from the rows";
    }
    const InsideRequest request = RequestOf(RandomWish());
    const InsideWindow window = RandomWindow();
    const ShapeId shape = interior_.Take(request);
    const int fit = interior_.Fit(kPlayNode, shape, kLimit, window);
    const int other =
        rebuilt.Fit(kPlayNode, rebuilt.Take(request), kLimit, window);
    interior_.Give(shape);
    return fit == other ? "" : "what is rebuilt fits others";
  }

  std::string CompareRebuilt() {
    NodeInterior rebuilt = Rebuilt(structure_);
    return CompareWith(rebuilt);
  }

  // What is held survives another structure, and the way back.
  std::string ChangeStructure() {
    const std::string before = interior_.Describe();
    const std::string other = RandomStructure();
    interior_.Set(kPlayNode, ReadShortStructure(other));
    if (random_.OneIn(4)) interior_.Unset(kPlayNode);
    if (interior_.StructureOf(kPlayNode) != nullptr) {
      NodeInterior rebuilt = Rebuilt(other);
      const std::string wrong = CompareWith(rebuilt);
      if (!wrong.empty()) return wrong;
    }
    interior_.Set(kPlayNode, ReadShortStructure(structure_));
    if (interior_.Describe() != before) return "a structure changed the tasks";
    for (const auto& [task, hold] : plain_.holds()) {
      const auto has = interior_.VerticesOf(task.first, task.second);
      if (std::set<VertexIndex>(has.begin(), has.end()) != hold.vertices) {
        return "a structure changed what a task holds";
      }
    }
    return "";
  }

  Random random_;
  const PlantedFault fault_;
  const std::string structure_;
  NodeInterior interior_;
  PlainInside plain_;
  Time now_ = 100;
  JobId next_job_ = 1;
  int booked_ = 0;
};

TEST(NodeInteriorRandom, AgreesWithItsPlainTwin) {
  const char* only = std::getenv("FLUXNETES_TEST_SEED");
  const bool is_long = std::getenv("FLUXNETES_TEST_LONG") != nullptr;
  const unsigned first = only == nullptr ? 1 : std::strtoul(only, nullptr, 10);
  const unsigned last = only == nullptr ? (is_long ? 3'000 : 60) : first;
  int booked = 0;
  for (unsigned seed = first; seed <= last; ++seed) {
    InsidePlay play(seed);
    SCOPED_TRACE("FLUXNETES_TEST_SEED=" + std::to_string(seed) + ", " +
                 play.structure());
    for (int step = 0; step < 60; ++step) ASSERT_EQ(play.Step(), "");
    booked += play.booked();
  }
  EXPECT_TRUE(only != nullptr || booked > 1'000) << booked;
}

// Returns the first complaint of many plays with a fault.
std::string Complaint(const PlantedFault& fault) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    InsidePlay play(seed, fault);
    for (int step = 0; step < 60; ++step) {
      const std::string wrong = play.Step();
      if (!wrong.empty()) return wrong;
    }
  }
  return "";
}

TEST(NodeInteriorRandom, FindsPlantedFaults) {
  EXPECT_NE(Complaint({.fits_one_more = true}).find("were booked"),
            std::string::npos);
  EXPECT_EQ(Complaint({.forgets_a_row = true}),
            "memory is not what is rebuilt from the rows");
  const std::string other = Complaint({.takes_another_vertex = true});
  EXPECT_TRUE(other.starts_with("too little") || other.starts_with("not in"))
      << other;
  EXPECT_NE(Complaint({.takes_a_held_vertex = true}), "");
}

TEST(NodeInteriorRandom, TheChecksFindEachFaultByItself) {
  PlainInside plain(InPreOrder("sockets: 2, numa: 4, cores: 8"));
  // socket0 is 1, numa0 2, core0 3, core1 4, numa1 5, core2 6.
  plain.Hang({1, 0}, {{2}, 0, 10});
  plain.Hang({2, 0}, {{6}, 5, 20});
  EXPECT_EQ(plain.HeldTwice(), "");
  plain.Hang({3, 0}, {{3}, 9, 12});
  EXPECT_EQ(plain.HeldTwice(), "/node/socket0/numa0/core0 is held twice");
  InsideWish wish;
  wish.align = Align::kNuma;
  wish.cpus = 2;
  EXPECT_EQ(plain.Unsatisfied(wish, {3, 4}), "");
  EXPECT_EQ(plain.Unsatisfied(wish, {3}), "too little core");
  EXPECT_EQ(plain.Unsatisfied(wish, {3, 6}), "not in one numa");
}

}  // namespace
}  // namespace fluxnetes::matcher

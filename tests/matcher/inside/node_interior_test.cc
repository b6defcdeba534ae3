// What NodeInterior does on single nodes.
#include "matcher/inside/node_interior.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "matcher/inside/parts_text.h"
#include "matcher/inside/short_structure.h"

namespace fluxnetes::matcher {
namespace {

constexpr NodeIndex kNode = 0;
constexpr InsideWindow kNow{10, 100, 10};

NodeInterior InteriorOf(const std::string& structure) {
  NodeInterior interior;
  interior.Set(kNode, ReadShortStructure(structure));
  return interior;
}

InsideWish Aligned(Align align, std::int64_t cpus, std::int64_t gpus = 0) {
  InsideWish wish;
  wish.align = align;
  wish.cpus = cpus;
  wish.gpus = gpus;
  return wish;
}

TEST(NodeInterior, KeepsATaskInOneDomain) {
  NodeInterior interior = InteriorOf("sockets: 2, numa: 4, cores: 16");
  const ShapeId three = interior.Take(RequestOf(Aligned(Align::kNuma, 3)));
  EXPECT_EQ(interior.Fit(kNode, three, 100, kNow), 4);
  interior.Book(1, 0, kNode, three, kNow);
  interior.Book(1, 1, kNode, three, kNow);
  EXPECT_EQ(interior.PartsOf(1, 0), "socket0/numa0/core[0-2]");
  EXPECT_EQ(interior.PartsOf(1, 1), "socket0/numa1/core[4-6]");
  const ShapeId five = interior.Take(RequestOf(Aligned(Align::kSocket, 5)));
  EXPECT_EQ(interior.Fit(kNode, five, 100, kNow), 1);
  EXPECT_EQ(interior.Fit(kNode, three, 100, kNow), 2);
}

TEST(NodeInterior, PlansBesideTasksThatAreNotBooked) {
  NodeInterior interior = InteriorOf("sockets: 2, cores: 8");
  const ShapeId two = interior.Take(RequestOf(Aligned(Align::kSocket, 2)));
  const ShapeId three = interior.Take(RequestOf(Aligned(Align::kSocket, 3)));
  const std::vector<TasksBeside> beside = {{two, 1}};
  EXPECT_EQ(interior.Fit(kNode, three, 9, kNow), 2);
  EXPECT_EQ(interior.Fit(kNode, three, 9, kNow, beside), 1);
  EXPECT_EQ(interior.FitEmpty(kNode, three, 9, beside), 1);
  const std::vector<TasksBeside> many = {{two, 5}};
  EXPECT_EQ(interior.Fit(kNode, three, 9, kNow, many), 0);
}

TEST(NodeInterior, LooksAtTheTimeOfATask) {
  NodeInterior interior = InteriorOf("cores: 4");
  const ShapeId all = interior.Take(RequestOf(Aligned(Align::kAnywhere, 4)));
  ASSERT_TRUE(interior.Book(1, 0, kNode, all, {100, 200, 10}));
  EXPECT_EQ(interior.Fit(kNode, all, 1, {10, 100, 10}), 1);
  EXPECT_EQ(interior.Fit(kNode, all, 1, {10, 101, 10}), 0);
  EXPECT_EQ(interior.Fit(kNode, all, 1, {199, 201, 10}), 0);
  EXPECT_EQ(interior.Fit(kNode, all, 1, {200, 201, 10}), 1);
  // Past its end, the task still has its cores now, and not later.
  EXPECT_EQ(interior.Fit(kNode, all, 1, {300, 301, 300}), 0);
  EXPECT_EQ(interior.Fit(kNode, all, 1, {301, 302, 300}), 1);
}

TEST(NodeInterior, TakesWholeSockets) {
  NodeInterior interior =
      InteriorOf("sockets: 4, numa: 8, cores: 32, gpus: 4, memory: 8Gi");
  InsideWish wish = Aligned(Align::kAnywhere, 12);
  wish.whole_sockets = true;
  const ShapeId shape = interior.Take(RequestOf(wish));
  const ShapeId core = interior.Take(RequestOf(Aligned(Align::kNuma, 1)));
  ASSERT_TRUE(interior.Book(1, 0, kNode, core, kNow));
  ASSERT_TRUE(interior.Book(2, 0, kNode, shape, kNow));
  EXPECT_EQ(interior.PartsOf(2, 0), "socket[1-2]/");
  EXPECT_EQ(interior.Fit(kNode, shape, 9, kNow), 0);
  EXPECT_EQ(interior.Fit(kNode, core, 100, kNow), 7 + 8);
}

TEST(NodeInterior, ASocketIsNotWholeIfSomethingThatIsNotAskedForIsTaken) {
  NodeInterior interior = InteriorOf("sockets: 2, cores: 8, memory: 8Gi");
  InsideWish wish = Aligned(Align::kAnywhere, 4);
  wish.whole_sockets = true;
  const ShapeId shape = interior.Take(RequestOf(wish));
  EXPECT_TRUE(interior.Restore(1, 0, kNode, "socket0/memory3", 0, 50));
  EXPECT_EQ(interior.Fit(kNode, shape, 9, kNow), 1);
}

TEST(NodeInterior, PrefersOneDomainButCanDoWithout) {
  NodeInterior interior = InteriorOf("sockets: 2, cores: 8");
  InsideWish wish = Aligned(Align::kSocket, 3);
  wish.align_required = false;
  const ShapeId shape = interior.Take(RequestOf(wish));
  ASSERT_EQ(interior.Fit(kNode, shape, 9, kNow), 2);
  wish.cpus = 2;
  const ShapeId two = interior.Take(RequestOf(wish));
  interior.Book(1, 0, kNode, shape, kNow);
  interior.Book(1, 1, kNode, shape, kNow);
  interior.Book(1, 2, kNode, two, kNow);
  EXPECT_EQ(interior.PartsOf(1, 2), "socket0/core3 socket1/core7");
}

TEST(NodeInterior, NodesWithoutAStructureTakeOnlyTasksThatCanDoWithout) {
  NodeInterior interior;
  InsideWish wish = Aligned(Align::kSocket, 3);
  const ShapeId required = interior.Take(RequestOf(wish));
  wish.align_required = false;
  const ShapeId preferred = interior.Take(RequestOf(wish));
  EXPECT_EQ(interior.Fit(kNode, required, 5, kNow), 0);
  EXPECT_FALSE(interior.Book(1, 0, kNode, required, kNow));
  EXPECT_EQ(interior.Fit(kNode, preferred, 5, kNow), 5);
  EXPECT_EQ(interior.Book(1, 0, kNode, preferred, kNow),
            std::vector<VertexIndex>());
  EXPECT_FALSE(interior.Release(1, 0));
}

TEST(NodeInterior, TasksKeepWhatTheyHoldUnderAnotherStructure) {
  NodeInterior interior = InteriorOf("sockets: 2, cores: 8, gpus: 2");
  const ShapeId shape = interior.Take(RequestOf(Aligned(Align::kSocket, 3, 1)));
  interior.Book(1, 0, kNode, shape, kNow);
  interior.Book(1, 1, kNode, shape, kNow);
  const std::string before = interior.Describe();
  interior.Set(kNode, ReadShortStructure("sockets: 2, numa: 4, cores: 8"));
  EXPECT_EQ(interior.Describe(), before);
  const ShapeId core = interior.Take(RequestOf(Aligned(Align::kNuma, 1)));
  EXPECT_EQ(interior.Fit(kNode, core, 9, kNow), 2);
  interior.Unset(kNode);
  EXPECT_EQ(interior.Describe(), before);
  EXPECT_EQ(interior.VerticesOf(1, 1), std::vector<VertexIndex>());
  interior.Set(kNode, ReadShortStructure("sockets: 2, cores: 8, gpus: 2"));
  EXPECT_EQ(interior.Describe(), before);
  EXPECT_EQ(interior.VerticesOf(1, 1).size(), 4U);
  EXPECT_EQ(interior.Fit(kNode, shape, 9, kNow), 0);
}

TEST(NodeInterior, RestoresWhatRunsEvenIfItIsHeldTwice) {
  NodeInterior interior = InteriorOf("sockets: 2, cores: 8");
  const ShapeId shape = interior.Take(RequestOf(Aligned(Align::kSocket, 4)));
  EXPECT_TRUE(interior.Restore(1, 0, kNode, "socket1/core[4-5]", 0, 50));
  EXPECT_FALSE(interior.Restore(2, 0, kNode, "socket1/core[5-6]", 0, 50));
  EXPECT_FALSE(interior.Restore(3, 0, kNode, "socket7/core70", 0, 50));
  EXPECT_EQ(interior.PartsOf(3, 0), "socket7/core70");
  EXPECT_EQ(interior.Fit(kNode, shape, 9, kNow), 1);
  EXPECT_TRUE(interior.Release(1, 0));
  EXPECT_FALSE(interior.Release(1, 0));
  EXPECT_EQ(interior.PartsOf(1, 0), "");
  EXPECT_EQ(interior.Fit(kNode, shape, 9, kNow), 1);
  EXPECT_TRUE(interior.Cancel(2));
  EXPECT_FALSE(interior.Cancel(2));
  EXPECT_EQ(interior.Fit(kNode, shape, 9, kNow), 2);
}

TEST(NodeInterior, WritesTheResourceSetOfATask) {
  NodeInterior interior =
      InteriorOf("sockets: 2, cores: 8, gpus: 4, memory: 2Gi");
  InsideWish wish = Aligned(Align::kSocket, 3, 2);
  wish.memory_mib = 40;
  const ShapeId shape = interior.Take(RequestOf(wish));
  interior.Book(7, 2, kNode, shape, kNow);
  EXPECT_EQ(interior.PartsOf(7, 2),
            "socket0/core[0-2] socket0/memory[0-1] socket0/gpu[0-1]");
  EXPECT_EQ(interior.ResourceSetOf(7, 2, "n\"1", 4),
            R"({"version": 1, "execution": {"R_lite": [{"rank": "4", )"
            R"("children": {"core": "0-2", "gpu": "0-1"}}], )"
            R"("nodelist": ["n\"1"], "starttime": 10, "expiration": 100}})");
  EXPECT_EQ(interior.ResourceSetOf(7, 1, "n1"), "");
}

TEST(NodeInterior, MemoryThatTheStructureLacksIsNotAskedFor) {
  NodeInterior interior = InteriorOf("sockets: 2, cores: 8");
  InsideWish wish = Aligned(Align::kSocket, 3);
  wish.memory_mib = 1 << 20;
  const ShapeId shape = interior.Take(RequestOf(wish));
  EXPECT_EQ(interior.Fit(kNode, shape, 9, kNow), 2);
  wish.gpus = 1;
  const ShapeId gpus = interior.Take(RequestOf(wish));
  EXPECT_EQ(interior.Fit(kNode, gpus, 9, kNow), 0);
}

TEST(NodeInterior, TakesJobspecsWithRangesAndAlternatives) {
  NodeInterior interior = InteriorOf("sockets: 2, cores: 8, gpus: 2");
  const auto take = [&](const std::string& resources) {
    return interior.Take(
        ParseJobspec("{version: 1, tasks: [], attributes: "
                     "null, resources: " +
                     resources + "}"));
  };
  const std::string either =
      "[{type: socket, count: 1, with: ["
      "{type: TYPE, count: 1, label: a, with: [{type: gpu, count: 1}]}, "
      "{type: TYPE, count: 1, label: b, with: [{type: core, count: 2}]}]}]";
  std::string slots = either;
  while (slots.find("TYPE") != std::string::npos) {
    slots.replace(slots.find("TYPE"), 4, "xor_slot");
  }
  const ShapeId one_of = take(slots);
  EXPECT_EQ(interior.Fit(kNode, one_of, 9, kNow), 2 + 4);
  interior.Book(1, 0, kNode, one_of, kNow);
  EXPECT_EQ(interior.PartsOf(1, 0), "socket0/gpu0");
  const ShapeId some = take(
      "[{type: socket, count: 1, with: [{type: slot, count: 1, label: a, "
      "with: [{type: core, count: {min: 2, max: 3, operator: '+', operand: "
      "1}}]}]}]");
  interior.Book(1, 1, kNode, some, kNow);
  EXPECT_EQ(interior.PartsOf(1, 1), "socket0/core[0-2]");
  EXPECT_EQ(interior.Fit(kNode, some, 9, kNow), 1);
}

TEST(NodeInterior, EqualRequestsAreOneShape) {
  NodeInterior interior = InteriorOf("sockets: 2, cores: 8");
  const InsideRequest request = RequestOf(Aligned(Align::kSocket, 4));
  const ShapeId shape = interior.Take(request);
  EXPECT_EQ(interior.Take(request), shape);
  EXPECT_NE(interior.Take(RequestOf(Aligned(Align::kSocket, 3))), shape);
  interior.Give(shape);
  EXPECT_EQ(interior.Fit(kNode, shape, 9, kNow), 2);
  interior.Give(shape);
  EXPECT_THROW(interior.Fit(kNode, shape, 9, kNow), std::invalid_argument);
  EXPECT_THROW(interior.Give(shape), std::invalid_argument);
}

TEST(NodeInterior, NodesOfOneStructureShareTheirSearches) {
  NodeInterior interior;
  const ResourceGraph graph = ReadShortStructure("sockets: 2, cores: 8");
  const ShapeId shape = interior.Take(RequestOf(Aligned(Align::kSocket, 4)));
  for (NodeIndex node = 0; node < 50; ++node) {
    interior.Set(node, graph);
    EXPECT_EQ(interior.Fit(node, shape, 9, kNow), 2);
  }
  // That no third task fits shows without a search.
  EXPECT_EQ(interior.searches(), 2);
  EXPECT_EQ(interior.StructureOf(3), interior.StructureOf(4));
}

TEST(NodeInterior, ForgetsStatesThatTakeTooMuchMemory) {
  NodeInterior interior({.state_bytes = 1'000});
  interior.Set(kNode, ReadShortStructure("sockets: 2, cores: 64"));
  const ShapeId shape = interior.Take(RequestOf(Aligned(Align::kSocket, 1)));
  EXPECT_EQ(interior.Fit(kNode, shape, 100, kNow), 64);
  EXPECT_EQ(interior.Fit(kNode, shape, 100, kNow), 64);
  EXPECT_EQ(interior.searches(), 2 * 64);
  ASSERT_TRUE(interior.Book(1, 0, kNode, shape, kNow));
  EXPECT_EQ(interior.Fit(kNode, shape, 100, kNow), 63);
}

TEST(NodeInterior, RefusesMisuse) {
  NodeInterior interior = InteriorOf("cores: 4");
  const ShapeId shape = interior.Take(RequestOf(Aligned(Align::kAnywhere, 1)));
  interior.Book(1, 0, kNode, shape, kNow);
  EXPECT_THROW(interior.Book(1, 0, kNode, shape, kNow), std::invalid_argument);
  EXPECT_THROW(interior.Restore(1, 0, kNode, "core1", 0, 1),
               std::invalid_argument);
  EXPECT_THROW(interior.Restore(1, 1, kNode, "core1//", 0, 1), PartsError);
  EXPECT_THROW(interior.Fit(-1, shape, 1, kNow), std::invalid_argument);
  EXPECT_THROW(interior.Take(InsideRequest{}), std::invalid_argument);
  EXPECT_THROW(interior.Set(kNode, ResourceGraph()), std::invalid_argument);
  EXPECT_EQ(interior.Describe(),
            "node 0: job 1 task 0 [10, 100) socket0/core0\n");
}

InsideRequest Guaranteed(Align align, std::int32_t cpus,
                         std::int32_t gpus = 0) {
  InsideRequest request = RequestOf(Aligned(align, cpus, gpus));
  request.demand = {cpus, gpus};
  return request;
}

TEST(NodeInterior, KeepsWhatTheKubeletGaveToOthersOutOfEveryWindow) {
  NodeInterior interior = InteriorOf("sockets: 1, numa: 2, cores: 8");
  const ShapeId two = interior.Take(Guaranteed(Align::kNuma, 2));
  interior.Book(1, 0, kNode, two, kNow);
  EXPECT_EQ(interior.Fit(kNode, two, 9, kNow), 3);
  // 2 of these 3 are the task's.
  const InsideTask first{1, 0};
  interior.SetGiven(kNode, {{"numa0", "core", 3}});
  interior.SetAdmitted(kNode, {&first, 1});
  EXPECT_EQ(interior.Fit(kNode, two, 9, kNow), 2);
  EXPECT_EQ(interior.Fit(kNode, two, 9, {200, 300, 10}), 3);
  EXPECT_EQ(interior.FitEmpty(kNode, two, 9), 4);
  EXPECT_FALSE(interior.IsFree(kNode, "socket0/numa0/core2", kNow));
  EXPECT_TRUE(interior.IsFree(kNode, "socket0/numa0/core3", kNow));
  // A task that is booked later makes what others have no less.
  interior.Book(1, 1, kNode, two, kNow);
  EXPECT_EQ(interior.PartsOf(1, 1), "socket0/numa1/core[4-5]");
  const std::vector<InsideTask> both = {{1, 0}, {1, 1}};
  interior.SetAdmitted(kNode, both);
  interior.SetGiven(kNode, {{"numa0", "core", 3}, {"numa1", "core", 4}});
  EXPECT_EQ(interior.Fit(kNode, two, 9, kNow), 0);
  interior.SetGiven(kNode, {});
  EXPECT_EQ(interior.Fit(kNode, two, 9, kNow), 2);
  EXPECT_EQ(interior.DescribeOn(kNode).size(), 2U);
}

TEST(NodeInterior, TasksAreTakenToBeWhereTheirKubeletHasPutThem) {
  NodeInterior interior = InteriorOf("sockets: 1, numa: 2, cores: 8");
  const ShapeId three = interior.Take(Guaranteed(Align::kNuma, 3));
  const ShapeId four = interior.Take(Guaranteed(Align::kNuma, 4));
  interior.Book(1, 0, kNode, three, kNow);
  const InsideTask task{1, 0};
  interior.SetAdmitted(kNode, {&task, 1});
  interior.SetGiven(kNode, {{"numa1", "core", 3}, {"numa7", "core", 9}});
  EXPECT_FALSE(interior.IsFree(kNode, "socket0/numa1/core4", kNow));
  EXPECT_TRUE(interior.IsFree(kNode, "socket0/numa1/core7", kNow));
  // What was planned stays its own.
  EXPECT_FALSE(interior.IsFree(kNode, "socket0/numa0/core0", kNow));
  EXPECT_EQ(interior.PartsOf(1, 0), "socket0/numa0/core[0-2]");
  EXPECT_EQ(interior.Fit(kNode, four, 9, kNow), 0);
  // Without it, both domains are free.
  const std::vector<JobId> without = {1};
  EXPECT_EQ(interior.Fit(kNode, four, 9, {10, 100, 10, without}), 2);
  // What it leaves is not that of others, and it is there when it comes back.
  interior.Cancel(1);
  EXPECT_EQ(interior.Fit(kNode, four, 9, kNow), 2);
  interior.Restore(1, 3, kNode, "socket0/numa0/core[0-2]", 10, 100, {3, 0});
  EXPECT_FALSE(interior.IsFree(kNode, "socket0/numa1/core4", kNow));
  EXPECT_TRUE(interior.IsFree(kNode, "socket0/numa1/core7", kNow));
}

// What it has of whole domains is moved vertex by vertex.
TEST(NodeInterior, PartsOfWholeDomainsMove) {
  NodeInterior interior = InteriorOf("sockets: 1, numa: 2, cores: 8, gpus: 2");
  EXPECT_TRUE(interior.Restore(1, 0, kNode, "socket0/numa0/", 0, 100, {3, 1}));
  const InsideTask task{1, 0};
  interior.SetAdmitted(kNode, {&task, 1});
  interior.SetGiven(
      kNode, {{"numa0", "core", 1}, {"numa0", "gpu", 1}, {"numa1", "core", 3}});
  for (const char* const given : {"numa0/gpu0", "numa1/core[4-6]"})
    EXPECT_FALSE(interior.IsFree(kNode, std::string("socket0/") + given, kNow));
  EXPECT_TRUE(interior.IsFree(kNode, "socket0/numa1/core7 gpu1", kNow));
  interior.ForgetGiven(kNode);
  EXPECT_TRUE(interior.IsFree(kNode, "socket0/numa1/", kNow));
}

TEST(NodeInterior, WhatIsRestoredIsNotCountedAsThatOfOthers) {
  NodeInterior interior = InteriorOf("numa: 2, cores: 8, gpus: 2");
  const ShapeId two = interior.Take(Guaranteed(Align::kNuma, 2, 1));
  interior.SetGiven(kNode, {{"numa0", "core", 2}, {"numa0", "gpu", 1}});
  EXPECT_EQ(interior.Fit(kNode, two, 9, kNow), 1);
  EXPECT_TRUE(interior.Restore(1, 0, kNode, "socket0/numa0/core[0-1] gpu0", 0,
                               100, {2, 1}));
  const InsideTask first{1, 0};
  interior.SetAdmitted(kNode, {&first, 1});
  EXPECT_EQ(interior.Fit(kNode, two, 9, kNow), 1);
  interior.Cancel(1);
  EXPECT_EQ(interior.Fit(kNode, two, 9, kNow), 2);
  // What the kubelet says later counts.
  interior.SetGiven(kNode, {{"numa0", "core", 2}, {"numa0", "gpu", 1}});
  EXPECT_EQ(interior.Fit(kNode, two, 9, kNow), 1);
  interior.SetGiven(kNode, {});
  EXPECT_EQ(interior.Fit(kNode, two, 9, kNow), 2);
  // A reservation does not hold what the kubelet gave.
  interior.Restore(2, 0, kNode, "socket0/numa0/core[0-1]", 500, 600, {2, 0});
  interior.SetGiven(kNode, {{"numa0", "core", 3}});
  EXPECT_EQ(interior.Fit(kNode, two, 9, kNow), 1);
}

// 3 cpus are free in the first domain and 4 in the second: a task of one may
// come before those of three, and get the first.
TEST(NodeInterior, TasksOnTheirWayMayBePutAnywhereByTheirKubelet) {
  NodeInterior interior = InteriorOf("numa: 2, cores: 8");
  interior.SetKubelet(kNode, TasksOfKubelet::kInFewestDomains);
  const ShapeId one = interior.Take(RequestOfKubelet(1, 0));
  const ShapeId three = interior.Take(RequestOfKubelet(3, 0));
  const std::vector<TasksBeside> beside = {{three, 1}};
  EXPECT_EQ(interior.Fit(kNode, three, 9, kNow), 2);  // it says nothing
  interior.SetGiven(kNode, {{"numa0", "core", 1}});
  EXPECT_EQ(interior.Fit(kNode, three, 9, kNow), 2);
  EXPECT_EQ(interior.Fit(kNode, one, 9, kNow, beside), 4);
  interior.Book(1, 0, kNode, one, kNow);
  EXPECT_EQ(interior.Fit(kNode, three, 9, kNow), 1);
  const InsideTask task{1, 0};
  interior.SetAdmitted(kNode, {&task, 1});
  interior.SetGiven(kNode, {{"numa0", "core", 2}});
  EXPECT_EQ(interior.Fit(kNode, three, 9, kNow), 1);
  interior.SetGiven(kNode, {{"numa0", "core", 1}, {"numa1", "core", 1}});
  EXPECT_EQ(interior.Fit(kNode, three, 9, kNow), 2);
}

// What a label asks for is one thing, and what the kubelet demands another.
TEST(NodeInterior, WhatTheKubeletRefusesFitsInNoDomainOfALabel) {
  NodeInterior interior = InteriorOf("sockets: 2, numa: 4, cores: 16");
  const ShapeId six = interior.Take(Guaranteed(Align::kSocket, 6));
  EXPECT_EQ(interior.Fit(kNode, six, 9, kNow), 2);
  interior.SetKubelet(kNode, TasksOfKubelet::kInOneDomain);
  EXPECT_EQ(interior.Fit(kNode, six, 9, kNow), 0);
  EXPECT_EQ(interior.FitEmpty(kNode, six, 9), 0);
  interior.SetKubelet(kNode, TasksOfKubelet::kInFewestDomains);
  EXPECT_EQ(interior.Fit(kNode, six, 9, kNow), 2);
  // Three domains have 3 cpus left: no one of them has 4.
  const ShapeId four = interior.Take(Guaranteed(Align::kSocket, 4));
  interior.SetGiven(kNode, {{"numa0", "core", 4},
                            {"numa1", "core", 1},
                            {"numa2", "core", 1},
                            {"numa3", "core", 1}});
  EXPECT_EQ(interior.Fit(kNode, four, 9, kNow), 0);
}

// Later, and of a kubelet that says nothing, the plan tells what is left.
TEST(NodeInterior, TasksWithALabelArePlannedForWhatKubeletsWillHaveLeft) {
  NodeInterior interior = InteriorOf("sockets: 2, numa: 4, cores: 16");
  interior.SetKubelet(kNode, TasksOfKubelet::kInOneDomain);
  const ShapeId three = interior.Take(Guaranteed(Align::kNuma, 3));
  const ShapeId two = interior.Take(Guaranteed(Align::kAnywhere, 2));
  const std::vector<InsideTask> tasks = {{1, 0}, {2, 0}, {3, 0}, {4, 0}};
  for (const InsideTask& task : tasks)
    interior.Book(task.job, 0, kNode, three, {10, 50 + 10 * task.job, 10});
  // 4 cpus are left, one in each domain.
  const InsideWindow soon{20, 30, 10};
  const InsideWindow after_first{60, 70, 10};
  const InsideWindow after_second{70, 80, 10};
  EXPECT_EQ(interior.Fit(kNode, two, 9, kNow), 0);
  EXPECT_EQ(interior.Fit(kNode, two, 9, soon), 0);
  EXPECT_EQ(interior.Fit(kNode, two, 9, after_first), 2);
  EXPECT_EQ(interior.Fit(kNode, two, 9, after_second), 4);
  const std::vector<TasksBeside> beside = {{three, 1}};
  EXPECT_EQ(interior.Fit(kNode, two, 9, after_first, beside), 0);
  EXPECT_EQ(interior.Fit(kNode, two, 9, after_second, beside), 2);
  EXPECT_EQ(interior.FitEmpty(kNode, two, 9), 8);
  // The first task has gone. Its kubelet says where the others are.
  interior.SetGiven(
      kNode,
      {{"numa1", "core", 3}, {"numa2", "core", 3}, {"numa3", "core", 3}});
  const std::vector<InsideTask> admitted(tasks.begin() + 1, tasks.end());
  interior.SetAdmitted(kNode, admitted);
  interior.Cancel(1);
  EXPECT_EQ(interior.Fit(kNode, two, 9, kNow), 2);
  EXPECT_EQ(interior.Fit(kNode, two, 9, soon), 2);
  // What others have stays theirs.
  interior.SetGiven(kNode, {{"numa0", "core", 3},
                            {"numa1", "core", 3},
                            {"numa2", "core", 3},
                            {"numa3", "core", 3}});
  EXPECT_EQ(interior.Fit(kNode, two, 9, soon), 0);
  EXPECT_EQ(interior.Fit(kNode, two, 9, {500, 600, 10}), 6);
}

// A kubelet that places tasks by NUMA domains gives each what it asks for in
// one of them; all others give whatever is left.
TEST(NodeInterior, WhatKubeletsDemandCountsWhereTheyDemandIt) {
  NodeInterior interior = InteriorOf("sockets: 2, numa: 4, cores: 16");
  const ShapeId three = interior.Take(RequestOfKubelet(3, 0));
  EXPECT_FALSE(interior.Counts(three));
  EXPECT_EQ(interior.Fit(kNode, three, 5, kNow), 5);  // amounts alone
  EXPECT_EQ(interior.Book(1, 0, kNode, three, kNow)->size(), 0U);
  EXPECT_EQ(interior.PartsOf(1, 0), "");
  interior.SetKubelet(kNode, TasksOfKubelet::kInOneDomain);
  EXPECT_TRUE(interior.Counts(three));
  EXPECT_EQ(interior.Fit(kNode, three, 5, kNow), 4);
  interior.Book(1, 0, kNode, three, kNow);
  EXPECT_EQ(interior.PartsOf(1, 0), "socket0/numa0/core[0-2]");
  const ShapeId two = interior.Take(RequestOfKubelet(2, 0));
  const std::vector<TasksBeside> beside = {{three, 3}};
  EXPECT_EQ(interior.Fit(kNode, two, 9, kNow), 6);
  EXPECT_EQ(interior.Fit(kNode, two, 9, kNow, beside), 0);
  interior.SetKubelet(kNode, TasksOfKubelet::kAny);
  EXPECT_FALSE(interior.Counts(two));
  EXPECT_EQ(interior.Fit(kNode, two, 9, kNow, beside), 9);
}

TEST(NodeInterior, KubeletsDifferInTasksThatAreLargerThanADomain) {
  NodeInterior interior = InteriorOf("numa: 4, cores: 16, gpus: 4");
  const ShapeId six = interior.Take(RequestOfKubelet(6, 0));
  interior.SetKubelet(kNode, TasksOfKubelet::kInOneDomain);
  EXPECT_EQ(interior.Fit(kNode, six, 9, kNow), 0);
  interior.SetKubelet(kNode, TasksOfKubelet::kInFewestDomains);
  EXPECT_EQ(interior.Fit(kNode, six, 9, kNow), 2);
  interior.Book(1, 0, kNode, six, kNow);
  EXPECT_EQ(interior.PartsOf(1, 0),
            "socket0/numa0/core[0-2] socket0/numa1/core[4-6]");
  // Domains 2 and 3 have four free, the others one: no two more have six.
  interior.Book(1, 1, kNode, six, kNow);
  EXPECT_EQ(interior.Fit(kNode, six, 9, kNow), 0);
  // What fits into one domain of an empty node may not have two.
  const ShapeId two = interior.Take(RequestOfKubelet(2, 0));
  EXPECT_EQ(interior.Fit(kNode, two, 9, kNow), 0);
  interior.Cancel(1);
  // Cpus of one domain and devices of two would not do for each of them.
  const ShapeId both = interior.Take(RequestOfKubelet(3, 2));
  interior.Book(2, 0, kNode, both, kNow);
  EXPECT_EQ(interior.PartsOf(2, 0), "socket0/numa[0-1]/");
}

TEST(NodeInterior, NodesWithoutDomainsAreOneToTheirKubelet) {
  NodeInterior interior = InteriorOf("cores: 8");
  interior.SetKubelet(kNode, TasksOfKubelet::kInOneDomain);
  const ShapeId five = interior.Take(RequestOfKubelet(5, 0));
  EXPECT_EQ(interior.Fit(kNode, five, 1, kNow), 1);
  EXPECT_EQ(interior.Book(1, 0, kNode, five, kNow)->size(), 0U);
}

TEST(NodeInterior, WhatSeveralJobsHoldMayCountAsFree) {
  NodeInterior interior = InteriorOf("numa: 2, cores: 8");
  const ShapeId two = interior.Take(RequestOf(Aligned(Align::kNuma, 2)));
  const ShapeId four = interior.Take(RequestOf(Aligned(Align::kNuma, 4)));
  for (JobId job = 1; job <= 4; ++job) interior.Book(job, 0, kNode, two, kNow);
  const std::vector<JobId> apart = {1, 3};
  const std::vector<JobId> together = {3, 4};
  EXPECT_EQ(interior.Fit(kNode, four, 9, {10, 100, 10, apart}), 0);
  EXPECT_EQ(interior.Fit(kNode, four, 9, {10, 100, 10, together}), 1);
  EXPECT_EQ(interior.Fit(kNode, four, 9, kNow), 0);
}

}  // namespace
}  // namespace fluxnetes::matcher

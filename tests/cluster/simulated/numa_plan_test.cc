// What the matcher plans for kubelets that place pods by NUMA domains, and what
// such a kubelet makes of it: pods that come and go one by one.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "cluster/simulated/numa_book.h"
#include "matcher/inside/node_interior.h"
#include "matcher/inside/structure_text.h"

namespace fluxnetes::cluster {
namespace {

constexpr matcher::NodeIndex kOnly = 0;
constexpr const char* kFourDomains = "sockets: 2, numa: 4, cores: 16, gpus: 4";

class NumaPlan {
 public:
  NumaPlan(std::uint64_t seed, TopologyPolicy policy)
      : random_(seed), policy_(policy), book_(MakeNode()) {
    interior_.Set(kOnly, matcher::ReadStructure(kFourDomains));
    interior_.SetKubelet(kOnly, policy == TopologyPolicy::kRestricted
                                    ? matcher::TasksOfKubelet::kInFewestDomains
                                    : matcher::TasksOfKubelet::kInOneDomain);
  }

  int refused() const { return refused_; }
  int admitted() const { return admitted_; }

  void Step() {
    if (Some(0, 2) == 0 && !pods_.empty()) return End();
    PodRequest pod;
    pod.guaranteed = true;
    pod.resources.cpu_milli = 1'000 * Some(1, 10);
    const int gpus = Some(0, 2) == 0 ? Some(1, 2) : 0;
    if (gpus > 0) pod.resources.SetExtended("nvidia.com/gpu", gpus);
    const std::int64_t cpus = pod.resources.cpu_milli / 1'000;
    // Amounts are looked at first.
    if (LeftOf(book_.cpus()) < cpus || LeftOf(book_.gpus()) < gpus) return;
    const matcher::ShapeId shape =
        interior_.Take(matcher::RequestOfKubelet(cpus, gpus));
    const int number = ++last_;
    if (!interior_.Book(number, 0, kOnly, shape, {1, matcher::kForever, 1}))
      return;
    (book_.Admits(pod, policy_) ? admitted_ : refused_) += 1;
    book_.Take(number, pod, policy_);
    pods_.push_back(number);
    Report();
  }

 private:
  static Node MakeNode() {
    Node node;
    node.structure.Own() = kFourDomains;
    node.allocatable.SetExtended("nvidia.com/gpu", 4);
    return node;
  }
  int Some(int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random_);
  }
  static std::int64_t LeftOf(const std::vector<std::int64_t>& amounts) {
    std::int64_t left = 0;
    for (const std::int64_t amount : amounts) left += amount;
    return left;
  }
  void End() {
    const auto pod =
        pods_.begin() + Some(0, static_cast<int>(pods_.size()) - 1);
    interior_.Cancel(*pod);
    book_.Release(*pod);
    pods_.erase(pod);
    Report();
  }
  void Report() {
    std::vector<matcher::GivenInside> given;
    for (std::size_t i = 0; i < book_.cpus().size(); ++i) {
      const std::string domain = "numa" + std::to_string(i);
      given.push_back({domain, "core", 4 - book_.cpus()[i]});
      given.push_back({domain, "gpu", 1 - book_.gpus()[i]});
    }
    interior_.SetGiven(kOnly, given);
  }

  std::mt19937_64 random_;
  const TopologyPolicy policy_;
  NumaBook book_;
  matcher::NodeInterior interior_;
  std::vector<int> pods_;
  int last_ = 0;
  int refused_ = 0;
  int admitted_ = 0;
};

class NumaPlanOf : public ::testing::TestWithParam<TopologyPolicy> {};

TEST_P(NumaPlanOf, KubeletTakesWhatWasPlanned) {
  int admitted = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    NumaPlan plan(seed, GetParam());
    for (int step = 0; step < 200; ++step) plan.Step();
    ASSERT_EQ(plan.refused(), 0);
    admitted += plan.admitted();
  }
  EXPECT_GT(admitted, 500);
}

INSTANTIATE_TEST_SUITE_P(Policies, NumaPlanOf,
                         ::testing::Values(TopologyPolicy::kSingleNumaNode,
                                           TopologyPolicy::kRestricted));

}  // namespace
}  // namespace fluxnetes::cluster

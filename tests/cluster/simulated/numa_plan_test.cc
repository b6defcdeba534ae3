// What the matcher plans for kubelets that place pods by NUMA domains, and what
// such a kubelet makes of it: pods that come and go one by one. They come to
// the kubelet later, in any order, and others end meanwhile.
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
      : random_(seed),
        slow_(seed % 2 == 0),
        policy_(policy),
        book_(MakeNode()) {
    interior_.Set(kOnly, matcher::ReadStructure(kFourDomains));
    interior_.SetKubelet(kOnly, policy == TopologyPolicy::kRestricted
                                    ? matcher::TasksOfKubelet::kInFewestDomains
                                    : matcher::TasksOfKubelet::kInOneDomain);
    Report();
  }

  int refused() const { return refused_; }
  int admitted() const { return admitted_; }

  // The kubelet is slow with some seeds, so that many pods are on their way.
  void Step() {
    const int what = Some(0, slow_ ? 9 : 3);
    if (what == 0 && !running_.empty()) return End();
    if (what <= (slow_ ? 3 : 2) && !coming_.empty()) return Admit();
    Plan();
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
  struct Coming {
    int number = 0;
    PodRequest pod;
  };

  matcher::ShapeId ShapeOf(std::int64_t cpus, std::int64_t gpus) {
    const int label = Some(0, 5);
    if (label > 2) return interior_.Take(matcher::RequestOfKubelet(cpus, gpus));
    matcher::InsideWish wish;
    wish.align = label == 0 ? matcher::Align::kSocket : matcher::Align::kNuma;
    wish.align_required = label != 1;
    wish.cpus = cpus;
    wish.gpus = gpus;
    matcher::InsideRequest request = RequestOf(wish);
    request.demand = {static_cast<std::int32_t>(cpus),
                      static_cast<std::int32_t>(gpus)};
    return interior_.Take(request);
  }

  void Plan() {
    PodRequest pod;
    pod.guaranteed = true;
    pod.resources.cpu_milli = 1'000 * Some(1, 10);
    const int gpus = Some(0, 2) == 0 ? Some(1, 2) : 0;
    if (gpus > 0) pod.resources.SetExtended("nvidia.com/gpu", gpus);
    const std::int64_t cpus = pod.resources.cpu_milli / 1'000;
    // Amounts are looked at first.
    if (cpus > cpus_left_ || gpus > gpus_left_) return;
    const matcher::ShapeId shape = ShapeOf(cpus, gpus);
    const matcher::InsideWindow window{1, matcher::kForever, 1};
    if (interior_.Fit(kOnly, shape, 1, window) == 0) return;
    const int number = ++last_;
    ASSERT_TRUE(interior_.Book(number, 0, kOnly, shape, window));
    coming_.push_back({number, pod});
    Use(pod, 1);
  }

  void Admit() {
    const auto next =
        coming_.begin() + Some(0, static_cast<int>(coming_.size()) - 1);
    if (book_.Admits(next->pod, policy_)) {
      ++admitted_;
      book_.Take(next->number, next->pod, policy_);
      running_.push_back(*next);
    } else {
      ++refused_;
      Leave(*next);
    }
    coming_.erase(next);
    Report();
  }

  void End() {
    const auto pod =
        running_.begin() + Some(0, static_cast<int>(running_.size()) - 1);
    Leave(*pod);
    book_.Release(pod->number);
    running_.erase(pod);
    Report();
  }

  void Leave(const Coming& pod) {
    interior_.Cancel(pod.number);
    Use(pod.pod, -1);
  }

  void Use(const PodRequest& pod, int times) {
    cpus_left_ -= times * pod.resources.cpu_milli / 1'000;
    gpus_left_ -= times * pod.resources.Extended("nvidia.com/gpu");
  }

  void Report() {
    std::vector<matcher::GivenInside> given;
    for (std::size_t i = 0; i < book_.cpus().size(); ++i) {
      const std::string domain = "numa" + std::to_string(i);
      given.push_back({domain, "core", 4 - book_.cpus()[i]});
      given.push_back({domain, "gpu", 1 - book_.gpus()[i]});
    }
    interior_.SetGiven(kOnly, given);
    std::vector<matcher::InsideTask> admitted;
    for (const Coming& pod : running_) admitted.push_back({pod.number, 0});
    interior_.SetAdmitted(kOnly, admitted);
  }

  std::mt19937_64 random_;
  const bool slow_;
  const TopologyPolicy policy_;
  NumaBook book_;
  matcher::NodeInterior interior_;
  std::vector<Coming> coming_;  // to the kubelet
  std::vector<Coming> running_;
  std::int64_t cpus_left_ = 16;
  std::int64_t gpus_left_ = 4;
  int last_ = 0;
  int refused_ = 0;
  int admitted_ = 0;
};

class NumaPlanOf : public ::testing::TestWithParam<TopologyPolicy> {};

TEST_P(NumaPlanOf, KubeletTakesWhatWasPlanned) {
  int admitted = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    NumaPlan plan(seed, GetParam());
    for (int step = 0; step < 300; ++step) plan.Step();
    EXPECT_EQ(plan.refused(), 0);
    admitted += plan.admitted();
  }
  EXPECT_GT(admitted, 5'000);
}

INSTANTIATE_TEST_SUITE_P(Policies, NumaPlanOf,
                         ::testing::Values(TopologyPolicy::kSingleNumaNode,
                                           TopologyPolicy::kRestricted));

}  // namespace
}  // namespace fluxnetes::cluster

#include "matcher/admission/kubelet_admission.h"

#include <gtest/gtest.h>

#include <vector>

namespace fluxnetes::matcher {
namespace {

using Demands = std::vector<DemandedTasks>;

DomainAmounts Cpus(std::vector<std::int32_t> cpus) {
  const std::size_t domains = cpus.size();
  return {std::move(cpus), std::vector<std::int32_t>(domains)};
}

const KubeletAdmission kFourTimesFour(Cpus({4, 4, 4, 4}), false);

TEST(KubeletAdmission, OrderOfComingDecides) {
  const KubeletAdmission kubelet(Cpus({4, 4}), false);
  EXPECT_TRUE(
      kubelet.AdmitsAll(Cpus({4, 4}), Demands{{{1, 0}, 1}, {{3, 0}, 2}}));
  EXPECT_FALSE(
      kubelet.AdmitsAll(Cpus({3, 4}), Demands{{{1, 0}, 1}, {{3, 0}, 2}}));
  // The lowest domain that has enough is full before the next is begun.
  EXPECT_TRUE(
      kubelet.AdmitsAll(Cpus({4, 4}), Demands{{{2, 0}, 2}, {{4, 0}, 1}}));
  EXPECT_FALSE(
      kubelet.AdmitsAll(Cpus({2, 4}), Demands{{{1, 0}, 3}, {{4, 0}, 1}}));
}

TEST(KubeletAdmission, EqualTasksFitWhereverTheyGo) {
  EXPECT_TRUE(
      kFourTimesFour.AdmitsAll(Cpus({3, 3, 2, 0}), Demands{{{3, 0}, 2}}));
  EXPECT_FALSE(
      kFourTimesFour.AdmitsAll(Cpus({3, 3, 2, 0}), Demands{{{3, 0}, 3}}));
  EXPECT_FALSE(kFourTimesFour.AdmitsAll(Cpus({3, 3, 2, 0}),
                                        Demands{{{3, 0}, 2}, {{3, 0}, 1}}));
  EXPECT_TRUE(
      kFourTimesFour.AdmitsAll(Cpus({0, 0, 0, 0}), Demands{{{3, 0}, 0}}));
}

// 6 cpus need two domains of an empty node; then no third one may be needed.
TEST(KubeletAdmission, TasksOfTheFewestDomains) {
  EXPECT_TRUE(
      kFourTimesFour.AdmitsAll(Cpus({4, 4, 4, 4}), Demands{{{6, 0}, 2}}));
  EXPECT_FALSE(
      kFourTimesFour.AdmitsAll(Cpus({2, 2, 2, 2}), Demands{{{6, 0}, 1}}));
  EXPECT_TRUE(
      kFourTimesFour.AdmitsAll(Cpus({4, 2, 0, 0}), Demands{{{6, 0}, 1}}));
  // The first has 4 and 2; what is left of its second domain is too little.
  EXPECT_FALSE(kFourTimesFour.AdmitsAll(Cpus({4, 4, 0, 0}),
                                        Demands{{{6, 0}, 1}, {{3, 0}, 1}}));
  EXPECT_FALSE(
      kFourTimesFour.AdmitsAll(Cpus({4, 4, 4, 4}), Demands{{{17, 0}, 1}}));
}

TEST(KubeletAdmission, OneDomainIsNeverTwo) {
  const KubeletAdmission one(Cpus({4, 4}), true);
  EXPECT_TRUE(one.AdmitsAll(Cpus({4, 4}), Demands{{{4, 0}, 2}}));
  EXPECT_FALSE(one.AdmitsAll(Cpus({4, 4}), Demands{{{5, 0}, 1}}));
}

TEST(KubeletAdmission, CpusAndGpusHaveADomainInCommon) {
  const DomainAmounts all{{4, 4}, {1, 1}};
  const KubeletAdmission kubelet(all, false);
  EXPECT_TRUE(kubelet.AdmitsAll({{0, 4}, {1, 1}}, Demands{{{3, 1}, 1}}));
  EXPECT_FALSE(kubelet.AdmitsAll({{0, 4}, {1, 0}}, Demands{{{3, 1}, 1}}));
  // Both GPUs, and cpus of one of their domains.
  EXPECT_TRUE(kubelet.AdmitsAll({{0, 4}, {1, 1}}, Demands{{{3, 2}, 1}}));
  EXPECT_TRUE(kubelet.AdmitsAll({{0, 0}, {1, 1}}, Demands{{{0, 1}, 2}}));
}

TEST(KubeletAdmission, MoreThanCanBeTriedIsRefused) {
  Demands tasks;
  std::vector<std::int32_t> cpus(8, 128);
  for (int kind = 1; kind <= 9; ++kind) tasks.push_back({{kind, 0}, 9});
  const KubeletAdmission kubelet(Cpus(cpus), false);
  EXPECT_FALSE(kubelet.AdmitsAll(Cpus(cpus), tasks));
  EXPECT_TRUE(kubelet.AdmitsAll(Cpus(cpus), Demands{tasks[0], tasks[8]}));
}

}  // namespace
}  // namespace fluxnetes::matcher

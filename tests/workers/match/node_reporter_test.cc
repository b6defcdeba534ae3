#include "workers/match/node_reporter.h"

#include <gtest/gtest.h>

namespace fluxnetes::workers {
namespace {

TEST(NodeReporter, TaintsAreReadAsTheyWereWritten) {
  const std::vector<cluster::Taint> taints = {
      {"team", "red", "NoSchedule"}, {"node.kubernetes.io/\"odd\"", "", ""}};
  EXPECT_EQ(ReadTaints(WriteTaints(taints)), taints);
  EXPECT_EQ(ReadTaints("[]"), std::vector<cluster::Taint>());
}

}  // namespace
}  // namespace fluxnetes::workers

#include "cluster/scheduler_names.h"

#include <gtest/gtest.h>

namespace fluxnetes::cluster {
namespace {

TEST(SchedulerNames, FluxnetesIsTheOneByDefault) {
  const SchedulerNames names;
  EXPECT_TRUE(names.Contain("fluxnetes"));
  EXPECT_FALSE(names.Contain("default-scheduler"));
  EXPECT_FALSE(names.Contain(""));
  EXPECT_EQ(names.Quoted(), "\"fluxnetes\"");
}

TEST(SchedulerNames, SeveralAreNamedInMessages) {
  const SchedulerNames names({"fluxnetes", "scheduler-plugins-scheduler"});
  EXPECT_TRUE(names.Contain("scheduler-plugins-scheduler"));
  EXPECT_FALSE(names.Contain("scheduler-plugins"));
  EXPECT_EQ(names.Quoted(), "\"fluxnetes\" or \"scheduler-plugins-scheduler\"");
}

}  // namespace
}  // namespace fluxnetes::cluster

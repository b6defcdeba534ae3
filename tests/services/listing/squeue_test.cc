#include "services/listing/squeue.h"

#include <gtest/gtest.h>

namespace fluxnetes::services {
namespace {

TEST(HostList, NumbersInARowStandTogether) {
  EXPECT_EQ(HostList({"n1", "n2", "n3", "n7"}), "n[1-3,7]");
  EXPECT_EQ(HostList({"n10", "n9"}), "n[9-10]");
  EXPECT_EQ(HostList({"n1"}), "n1");
  EXPECT_EQ(HostList({}), "");
}

TEST(HostList, NamesOfOtherFormsStandByThemselves) {
  EXPECT_EQ(HostList({"gpu", "n1", "m1", "m2"}), "gpu,m[1-2],n1");
  EXPECT_EQ(HostList({"ip-10-0-0-7", "ip-10-0-1-7"}),
            "ip-10-0-0-7,ip-10-0-1-7");
}

TEST(HostList, NumbersWithZerosInFrontKeepTheirWidth) {
  EXPECT_EQ(HostList({"n08", "n09"}), "n[08-09]");
  EXPECT_EQ(HostList({"n08", "n8"}), "n8,n08");
}

}  // namespace
}  // namespace fluxnetes::services

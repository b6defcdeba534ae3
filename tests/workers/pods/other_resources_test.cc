#include "workers/pods/other_resources.h"

#include <gtest/gtest.h>

namespace fluxnetes::workers {
namespace {

TEST(OtherResources, ComeBackAsTheyWent) {
  cluster::Resources resources;
  EXPECT_EQ(OtherResources(resources), std::nullopt);
  resources.ephemeral_bytes = std::int64_t{1} << 40;
  resources.SetExtended("nvidia.com/gpu", 8);
  cluster::Resources read;
  ReadOtherResources(OtherResources(resources).value(), read);
  EXPECT_EQ(read, resources);
}

}  // namespace
}  // namespace fluxnetes::workers

#include <gtest/gtest.h>

#include "tests/kubernetes/support/control_plane.h"

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  const int status = RUN_ALL_TESTS();
  fluxnetes::testing::ControlPlane::Stop();
  return status;
}

#include "workers/pods/trace_context.h"

#include <gtest/gtest.h>

namespace fluxnetes::workers {
namespace {

constexpr const char* kGood =
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

std::optional<std::string> Read(const std::string& annotation) {
  cluster::Pod pod;
  pod.annotations[kTraceparentAnnotation] = annotation;
  return TraceparentOf(pod);
}

TEST(TraceContext, IsReadFromThePodsAnnotation) {
  EXPECT_EQ(Read(kGood), kGood);
  EXPECT_EQ(TraceparentOf(cluster::Pod{}), std::nullopt);
  EXPECT_EQ(TraceIdOf(kGood), "4bf92f3577b34da6a3ce929d0e0e4736");
  EXPECT_EQ(ParentIdOf(kGood), "00f067aa0ba902b7");
}

// (W3C Trace Context, section 3.2.2.)
TEST(TraceContext, WhatIsNotOfItsFormIsIgnored) {
  for (const char* bad :
       {"", "00", "4bf92f3577b34da6a3ce929d0e0e4736",
        "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        "00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0g",
        "00-4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7-01"})
    EXPECT_EQ(Read(bad), std::nullopt) << bad;
}

}  // namespace
}  // namespace fluxnetes::workers

#include "cluster/pod.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace fluxnetes::cluster {
namespace {

PodRequest Full() {
  PodRequest request;
  request.resources = {.cpu_milli = 1500,
                       .memory_bytes = 4LL << 30,
                       .ephemeral_bytes = 1'000'000,
                       .pods = 1,
                       .extended = {{"nvidia.com/gpu", 2}}};
  request.node_selector = {{"zone", "a"}, {"disk", "\"ssd\" \\ 100% 🚀"}};
  request.node_affinity = {
      {{"cpu", "Gt", {"4"}}, {"metadata.name", "In", {"n1", "n2"}, true}},
      {},
      {{"gpu", "Exists", {}}}};
  request.tolerations = {{"", true, "", ""},
                         {"team", false, "red", "NoSchedule"}};
  return request;
}

TEST(PodRequest, ComesBackFromItsJsonUnchanged) {
  EXPECT_EQ(PodRequestFromJson(ToJson(Full())), Full());
  EXPECT_EQ(PodRequestFromJson(ToJson({})), PodRequest{});
}

TEST(PodRequest, EqualRequestsHaveEqualTextAndOthersHaveNot) {
  PodRequest other = Full();
  EXPECT_EQ(ToJson(other), ToJson(Full()));
  other.tolerations[1].value = "blue";
  EXPECT_NE(ToJson(other), ToJson(Full()));
  other = Full();
  other.resources.cpu_milli += 1;
  EXPECT_NE(ToJson(other), ToJson(Full()));
}

TEST(PodRequest, JsonIsReadableAndWithoutWhatIsEmpty) {
  PodRequest request;
  request.resources = {.cpu_milli = 250, .memory_bytes = 4LL << 30, .pods = 1};
  EXPECT_EQ(ToJson(request),
            R"({"resources":{"cpu":"250m","memory":"4Gi","pods":"1"}})");
}

TEST(PodRequest, OtherJsonIsRefused) {
  for (const char* json :
       {"", "{", "[]", "{}", R"({"resources":{"cpu":1}})",
        R"({"resources":{"cpu":"12x"}})", R"({"resources":[1]})",
        R"({"resources":{},"tolerations":[1]})"}) {
    EXPECT_THROW(PodRequestFromJson(json), std::invalid_argument) << json;
  }
}

TEST(Pod, KeyHasTheNamespace) {
  Pod pod;
  pod.namespace_name = "team";
  pod.name = "a";
  EXPECT_EQ(Key(pod), "team/a");
}

}  // namespace
}  // namespace fluxnetes::cluster

#include "services/simulated_api/api_admission.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace fluxnetes::services {
namespace {

using Json = nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Json PodWith(const char* spec) {
  return {{"kind", "Pod"},
          {"metadata", {{"name", "p"}}},
          {"spec", Json::parse(spec)}};
}

TEST(ApiAdmission, ClassOfEveryClusterGivesItsPriority) {
  Json pod = PodWith(R"({"priorityClassName": "system-node-critical"})");
  EXPECT_EQ(Admit(pod, {}).refused, 0);
  EXPECT_EQ(pod["spec"]["priority"], 2'000'001'000);
  Json job = {
      {"kind", "Job"},
      {"spec",
       {{"template",
         {{"spec", {{"priorityClassName", "system-cluster-critical"}}}}}}}};
  EXPECT_EQ(Admit(job, {}).refused, 0);
  EXPECT_EQ(job["spec"]["template"]["spec"]["priority"], 2'000'000'000);
}

TEST(ApiAdmission, UnknownClassIsForbidden) {
  Json pod = PodWith(R"({"priorityClassName": "high"})");
  const Admission admission = Admit(pod, {});
  EXPECT_EQ(admission.refused, 403);
  EXPECT_THAT(admission.why,
              HasSubstr("pods \"p\" is forbidden: no PriorityClass with name "
                        "high was found"));
}

TEST(ApiAdmission, UnknownClassCountsByThePriorityBesideIt) {
  Json pod = PodWith(R"({"priorityClassName": "high", "priority": 7})");
  EXPECT_EQ(Admit(pod, {}).refused, 0);
  EXPECT_EQ(pod["spec"]["priority"], 7);
}

TEST(ApiAdmission, PriorityMustBeThatOfTheClass) {
  Json pod = PodWith(
      R"({"priorityClassName": "system-node-critical", "priority": 7})");
  EXPECT_EQ(Admit(pod, {}).refused, 403);
  Json without = PodWith(R"({"priority": 7})");
  EXPECT_EQ(Admit(without, {}).refused, 0);
  EXPECT_EQ(without["spec"]["priority"], 7);
}

TEST(ApiAdmission, UnknownFieldIsAWarningOrRefusedAsTheRequestAsks) {
  Json pod = PodWith(R"({"nodes": 3})");
  HttpQuestion question;
  EXPECT_THAT(Admit(pod, question).warnings,
              ElementsAre("unknown field \"spec.nodes\""));
  question.query["fieldValidation"] = "Strict";
  EXPECT_EQ(Admit(pod, question).refused, 400);
  EXPECT_EQ(Admit(pod, question).why,
            "Pod cannot be read: unknown field \"spec.nodes\"");
  question.query["fieldValidation"] = "Ignore";
  EXPECT_EQ(Admit(pod, question).refused, 0);
  EXPECT_THAT(Admit(pod, question).warnings, IsEmpty());
}

TEST(ApiAdmission, FieldWithoutEffectIsAWarning) {
  Json pod = PodWith(R"({"readinessGates": []})");
  EXPECT_THAT(Admit(pod, {}).warnings,
              ElementsAre("the simulated cluster does not act on "
                          "spec.readinessGates"));
}

TEST(ApiAdmission, WarningsStayFew) {
  Json pod = PodWith("{}");
  for (int i = 0; i < 1'000; ++i) pod["spec"]["x" + std::to_string(i)] = i;
  EXPECT_EQ(Admit(pod, {}).warnings.size(), 20U);
  HttpQuestion strict;
  strict.query["fieldValidation"] = "Strict";
  EXPECT_LT(Admit(pod, strict).why.size(), 1'000U);
}

TEST(ApiAdmission, OddShapesAreLeftToTheCheckOfFields) {
  Json odd = {{"kind", "Job"}, {"spec", 3}};
  EXPECT_EQ(Admit(odd, {}).refused, 0);
  Json bare = {{"kind", "Pod"}};
  EXPECT_EQ(Admit(bare, {}).refused, 0);
}

}  // namespace
}  // namespace fluxnetes::services

#include "cluster/json/run.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace fluxnetes::cluster {
namespace {

using Json = nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;

PodRun Decode(const char* object,
              RestartPolicy restart = RestartPolicy::kNever) {
  return DecodeRun(Json::parse(object), restart);
}

TEST(Run, SleepIsReadFromTheCommand) {
  EXPECT_EQ(Decode(R"({"spec": {"containers": [
      {"command": ["sleep", "30"]}]}})")
                .length,
            seconds(30));
  EXPECT_EQ(Decode(R"({"spec": {"containers": [
      {"command": ["/bin/sleep"], "args": ["2m"]}]}})")
                .length,
            seconds(120));
  EXPECT_EQ(Decode(R"({"spec": {"containers": [
      {"command": ["sh", "-c", "echo a; sleep 0.5 && sleep 1;exit 1"]}]}})")
                .length,
            milliseconds(1500));
}

TEST(Run, LongestContainerDecides) {
  EXPECT_EQ(Decode(R"({"spec": {"containers": [{"command": ["sleep", "3"]},
      {"command": ["sleep", "7"]}, {}]}})")
                .length,
            seconds(7));
}

TEST(Run, AnnotationsGoFirst) {
  const PodRun run = Decode(R"({
      "metadata": {"annotations": {"fluxnetes.io/run-seconds": "0.25",
        "fluxnetes.io/exit-code": "3", "fluxnetes.io/fail-first": "2"}},
      "spec": {"containers": [{"command": ["sleep", "30"]}]}})",
                            RestartPolicy::kAlways);
  EXPECT_EQ(run, (PodRun{milliseconds(250), 3, 2}));
}

TEST(Run, EndlessOnesRunUntilDeleted) {
  EXPECT_EQ(Decode(R"({"metadata": {"annotations":
      {"fluxnetes.io/run-seconds": "forever"}}})")
                .length,
            std::nullopt);
  EXPECT_EQ(Decode(R"({"spec": {"containers": [
      {"command": ["sleep", "infinity"]}]}})")
                .length,
            std::nullopt);
  EXPECT_EQ(Decode(R"({"spec": {"containers": [
      {"command": ["sleep", "5"]}]}})",
                   RestartPolicy::kAlways)
                .length,
            std::nullopt);
}

TEST(Run, OthersRunForASecond) {
  EXPECT_EQ(Decode("{}"), PodRun{});
  EXPECT_EQ(Decode(R"({"spec": {"containers": [
      {"command": ["sleep"]}, {"command": ["sleep", "x"]}, {"args": [1]}]}})"),
            PodRun{});
  EXPECT_EQ(PodRun{}.length, seconds(1));
}

TEST(Run, TimesAreThoseOfSleep) {
  EXPECT_EQ(ParseSleep("0"), milliseconds(0));
  EXPECT_EQ(ParseSleep("1.5h"), seconds(5400));
  EXPECT_EQ(ParseSleep("1d"), seconds(86'400));
  EXPECT_EQ(ParseSleep("1e9s"), std::nullopt);
  EXPECT_EQ(ParseSleep("99999999999999999999"), kEndless);
  for (const char* text : {"", "-1", "x", "1x", "1 s", "nan", "1sm", "0x10"}) {
    EXPECT_EQ(ParseSleep(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace fluxnetes::cluster

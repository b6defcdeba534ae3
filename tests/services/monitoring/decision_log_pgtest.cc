#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "services/monitoring/decision_log.h"
#include "tests/services/support/command_database.h"
#include "tests/support/process.h"

namespace fluxnetes::services {
namespace {

using ::testing::ElementsAre;
using Json = nlohmann::json;

class DecisionLogTest : public CommandDatabase {
 protected:
  DecisionLogTest() {
    AddExampleGroups();
    database_.Execute(
        "UPDATE pod_groups SET traceparent = format('00-%s-%s-01',"
        " repeat(id::text, 32), repeat(id::text, 16))");
    database_.UseCatalogues({DecisionLog::Catalogue()});
  }

  // Returns the log lines without their times.
  std::vector<Json> Lines() {
    std::vector<Json> lines;
    std::istringstream in(out_.str());
    for (std::string line; std::getline(in, line);) {
      lines.push_back(Json::parse(line));
      EXPECT_TRUE(lines.back().erase("time") == 1) << line;
    }
    out_.str("");
    return lines;
  }

  GroupCounts counts_;
  std::ostringstream out_;
  const Log log_{{.format = LogFormat::kJson, .out = &out_}};
};

TEST_F(DecisionLogTest, EachDecisionIsALineWithGroupNodesAndTime) {
  const DecisionLog decisions(log_, database_.pool(), counts_);
  workers::Decision decision;
  workers::Placed placed;
  placed.group = 3;
  placed.queue = "default";
  placed.members = {{"u1", "n1"}, {"u2", "n2"}};
  decision.placed = {placed};
  decision.verdicts = {{4, 1, true, "no node has 64 cpu", ""}};
  decision.reserved = {{2, "default", 1'767'225'600, {"n1"}},
                       {2, "default", std::nullopt, {"n1"}}};
  decisions.Decided(decision, std::chrono::microseconds(1'500));
  EXPECT_THAT(
      Lines(),
      ElementsAre(
          Json::parse(R"({"level": "info", "message": "group allocated",
              "group": "b/second", "id": 3,
              "trace_id": "33333333333333333333333333333333", "queue": "default",
              "nodes": "n1,n2", "ms": 1.5})"),
          Json::parse(R"({"level": "info", "message": "group unsatisfiable",
              "group": "a/huge", "id": 4,
              "trace_id": "44444444444444444444444444444444", "reason": "no node has 64 cpu",
              "ms": 1.5})"),
          Json::parse(R"({"level": "info", "message": "group reserved",
              "group": "a/first", "id": 2,
              "trace_id": "22222222222222222222222222222222", "queue": "default", "drain": false,
              "starts_at": "2026-01-01T00:00:00.000000Z", "ms": 1.5})"),
          Json::parse(R"({"level": "info", "message": "group reserved",
              "group": "a/first", "id": 2,
              "trace_id": "22222222222222222222222222222222", "queue": "default", "drain": true,
              "ms": 1.5})")));
  decisions.Bound({1}, {3});
  EXPECT_THAT(
      Lines(),
      ElementsAre(Json::parse(R"({"level": "info", "message": "group bound",
                      "group": "a/runs", "id": 1,
              "trace_id": "11111111111111111111111111111111"})"),
                  Json::parse(R"({"level": "warning",
                      "message": "group goes back", "group": "b/second",
                      "id": 3,
              "trace_id": "33333333333333333333333333333333"})")));
}

TEST_F(DecisionLogTest, TheWayOfABoundGroupIsToldAsSpansOfItsTrace) {
  const Log log(
      {.level = LogLevel::kDebug, .format = LogFormat::kJson, .out = &out_});
  database_.Execute(
      "UPDATE pod_groups SET submitted_at = '2026-01-01 00:00:00Z',"
      " promoted_at = '2026-01-01 00:00:01Z',"
      " allocated_at = '2026-01-01 00:00:03Z',"
      " bound_at = '2026-01-01 00:00:06.5Z' WHERE id = 1");
  DecisionLog(log, database_.pool(), counts_).Bound({1}, {});
  std::vector<Json> lines = Lines();
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_EQ(lines[0]["message"], "group bound");
  const Json whole = lines[1];
  EXPECT_EQ(whole["message"], "span");
  EXPECT_EQ(whole["span"], "schedule");
  EXPECT_EQ(whole["trace_id"], std::string(32, '1'));
  EXPECT_EQ(whole["parent_id"], std::string(16, '1'));
  EXPECT_EQ(whole["start"], "2026-01-01T00:00:00.000000Z");
  EXPECT_EQ(whole["ms"], 6'500);
  const std::vector<std::pair<std::string, int>> parts = {
      {"fill", 1'000}, {"match", 2'000}, {"bind", 3'500}};
  std::set<Json> ids = {whole["span_id"]};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Json& line = lines[i + 2];
    EXPECT_EQ(line["span"], parts[i].first);
    EXPECT_EQ(line["ms"], parts[i].second);
    EXPECT_EQ(line["parent_id"], whole["span_id"]);
    EXPECT_EQ(line["span_id"].get<std::string>().size(), 16U);
    EXPECT_TRUE(ids.insert(line["span_id"]).second);
  }
}

TEST_F(DecisionLogTest, SpansOfSampledTracesAreExportedWhateverTheLogWrites) {
  const Log quiet({.level = LogLevel::kError, .out = &out_});
  database_.Execute(
      "UPDATE pod_groups SET submitted_at = now() - interval '3 s',"
      " promoted_at = now() - interval '2 s', allocated_at = now(),"
      " bound_at = now();"
      "UPDATE pod_groups SET traceparent = left(traceparent, 52) || '-00'"
      " WHERE id = 3");
  SpanExporter::Options options;
  options.endpoint = "unix:/nonexistent";  // what it gets it drops, and counts
  options.deadline = std::chrono::milliseconds(1);
  options.interval = std::chrono::milliseconds(1);
  SpanExporter exporter(std::move(options));
  const DecisionLog decisions(quiet, database_.pool(), counts_, &exporter);
  decisions.Bound({3}, {});
  decisions.Bound({1}, {});
  EXPECT_TRUE(testing::WaitUntil(std::chrono::seconds(60), [&] {
    return exporter.dropped() == 4;
  })) << exporter.dropped();
  EXPECT_EQ(out_.str(), "");
}

TEST_F(DecisionLogTest, WhatWasAllocatedIsCountedAlsoIfNothingIsWritten) {
  const Log quiet({.level = LogLevel::kError, .out = &out_});
  database_.Execute(
      "UPDATE pod_groups SET allocated_at = submitted_at + interval '40 s'"
      " WHERE id IN (1, 3);"
      "UPDATE pod_groups SET went_back_at = now() WHERE id = 3;"
      "INSERT INTO estimates (group_id, starts_at, approximate, rests_on,"
      "  made_at, first_starts_at, first_made_at)"
      " SELECT id, submitted_at + interval '45 s', false, '', now(),"
      "  submitted_at + interval '10 s', now() FROM pod_groups WHERE id = 1");
  const DecisionLog decisions(quiet, database_.pool(), counts_);
  workers::Decision decision;
  decision.placed.resize(2);
  decision.placed[0].group = 1;
  decision.placed[1].group = 3;  // placed again
  for (workers::Placed& placed : decision.placed) {
    placed.queue = "default";
    placed.members = {{"u1", "n1"}, {"u2", "n2"}};
  }
  decisions.Decided(decision, std::chrono::microseconds(1));
  MetricsPage page;
  counts_.AddTo(page);
  const std::string text = page.Text();
  for (const char* line :
       {"fluxnetes_groups_allocated_total{queue=\"default\"} 2\n",
        "fluxnetes_pods_allocated_total{queue=\"default\"} 4\n",
        "fluxnetes_group_wait_seconds_sum{queue=\"default\"} 40\n",
        "fluxnetes_group_wait_seconds_count{queue=\"default\"} 1\n",
        "{queue=\"default\",estimate=\"first\",direction=\"late\"} 30\n",
        "{queue=\"default\",estimate=\"last\",direction=\"early\"} 5\n"})
    EXPECT_THAT(text, ::testing::HasSubstr(line));
  EXPECT_EQ(out_.str(), "");
}

TEST_F(DecisionLogTest, WithoutTheDatabaseThereIsTheId) {
  sql::PoolOptions nowhere = database_.options();
  nowhere.connection = "host=/nowhere dbname=none";
  nowhere.catalogues = {DecisionLog::Catalogue()};
  sql::Pool pool(nowhere);
  const DecisionLog decisions(log_, pool, counts_);
  decisions.Bound({1}, {});
  EXPECT_THAT(Lines(), ElementsAre(Json::parse(
                           R"({"level": "info", "message": "group bound",
                               "id": 1})")));
}

}  // namespace
}  // namespace fluxnetes::services

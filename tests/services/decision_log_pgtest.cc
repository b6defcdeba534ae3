#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "services/decision_log.h"
#include "tests/services/command_database.h"

namespace fluxnetes::services {
namespace {

using ::testing::ElementsAre;
using Json = nlohmann::json;

class DecisionLogTest : public CommandDatabase {
 protected:
  DecisionLogTest() {
    AddExampleGroups();
    database_.UseCatalogues({DecisionLog::Catalogue()});
  }

  // The lines without their times.
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

  std::ostringstream out_;
  const Log log_{{.format = LogFormat::kJson, .out = &out_}};
};

TEST_F(DecisionLogTest, EachDecisionIsALineWithGroupNodesAndTime) {
  const DecisionLog decisions(log_, database_.pool());
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
              "group": "b/second", "id": 3, "queue": "default",
              "nodes": "n1,n2", "ms": 1.5})"),
          Json::parse(R"({"level": "info", "message": "group unsatisfiable",
              "group": "a/huge", "id": 4, "reason": "no node has 64 cpu",
              "ms": 1.5})"),
          Json::parse(R"({"level": "info", "message": "group reserved",
              "group": "a/first", "id": 2, "queue": "default", "drain": false,
              "starts_at": "2026-01-01T00:00:00.000000Z", "ms": 1.5})"),
          Json::parse(R"({"level": "info", "message": "group reserved",
              "group": "a/first", "id": 2, "queue": "default", "drain": true,
              "ms": 1.5})")));
  decisions.Bound({1}, {3});
  EXPECT_THAT(
      Lines(),
      ElementsAre(Json::parse(R"({"level": "info", "message": "group bound",
                      "group": "a/runs", "id": 1})"),
                  Json::parse(R"({"level": "warning",
                      "message": "group goes back", "group": "b/second",
                      "id": 3})")));
}

TEST_F(DecisionLogTest, WithoutTheDatabaseThereIsTheId) {
  sql::PoolOptions nowhere = database_.options();
  nowhere.connection = "host=/nowhere dbname=none";
  nowhere.catalogues = {DecisionLog::Catalogue()};
  sql::Pool pool(nowhere);
  const DecisionLog decisions(log_, pool);
  decisions.Bound({1}, {});
  EXPECT_THAT(Lines(), ElementsAre(Json::parse(
                           R"({"level": "info", "message": "group bound",
                               "id": 1})")));
}

}  // namespace
}  // namespace fluxnetes::services

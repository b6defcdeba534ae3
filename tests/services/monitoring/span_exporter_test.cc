#include "services/monitoring/span_exporter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "services/http/http_server.h"
#include "tests/support/process.h"

namespace fluxnetes::services {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;
using std::chrono::milliseconds;

constexpr std::chrono::seconds kPatience{60};

TraceSpan SpanNamed(const std::string& name) {
  const sql::Timestamp begin{std::chrono::microseconds(1'700'000'000'000'001)};
  return {std::string(32, 'a'),
          std::string(16, 'b'),
          std::string(16, 'c'),
          name,
          begin,
          begin + milliseconds(5),
          {{"fluxnetes.group", "lab/train \"1\""}}};
}

TEST(WriteOtlp, IsTheJsonEncodingOfTheProtocol) {
  const TraceSpan span = SpanNamed("bind");
  const Json body = Json::parse(WriteOtlp({&span, 1}, "pod-7", "0.1.0"));
  const Json& of_resource = body.at("resourceSpans").at(0);
  EXPECT_EQ(of_resource["resource"]["attributes"][0],
            Json::parse(R"({"key": "service.name",
                            "value": {"stringValue": "fluxnetes"}})"));
  EXPECT_EQ(of_resource["scopeSpans"][0]["spans"][0], Json::parse(R"({
      "traceId": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
      "spanId": "bbbbbbbbbbbbbbbb", "parentSpanId": "cccccccccccccccc",
      "name": "bind", "kind": 1,
      "startTimeUnixNano": "1700000000000001000",
      "endTimeUnixNano": "1700000000005001000",
      "attributes": [{"key": "fluxnetes.group",
                      "value": {"stringValue": "lab/train \"1\""}}]})"));
}

// A collector that records what it gets.
class SpanExporterTest : public ::testing::Test {
 protected:
  SpanExporterTest() {
    HttpServerOptions options;
    options.address = "127.0.0.1:0";
    options.answer = [this](const HttpQuestion& question) {
      const sql::MutexLock lock(mutex_);
      if (status_ == 200) {
        paths_.push_back(question.method + " " + question.path + " " +
                         question.content_type);
        const Json body = Json::parse(question.body);
        for (const Json& span :
             body["resourceSpans"][0]["scopeSpans"][0]["spans"])
          names_.push_back(span["name"]);
      }
      HttpAnswer answer;
      answer.status = status_;
      answer.body = "{}";
      return answer;
    };
    options.refuse = [](int, const std::string& why) { return why; };
    collector_ = std::make_unique<HttpServer>(std::move(options));
    collector_->Start();
  }

  SpanExporter::Options Wanted() {
    SpanExporter::Options options;
    options.endpoint = collector_->address();
    options.interval = milliseconds(10);
    options.deadline = milliseconds(200);
    options.on_trouble = [this](const std::string& why) {
      const sql::MutexLock lock(mutex_);
      troubles_.push_back(why);
    };
    return options;
  }

  void Answer(int status) {
    const sql::MutexLock lock(mutex_);
    status_ = status;
  }
  std::vector<std::string> Names() {
    const sql::MutexLock lock(mutex_);
    return names_;
  }
  std::vector<std::string> Troubles() {
    const sql::MutexLock lock(mutex_);
    return troubles_;
  }

  sql::Mutex mutex_;
  int status_ GUARDED_BY(mutex_) = 200;
  std::vector<std::string> paths_ GUARDED_BY(mutex_);
  std::vector<std::string> names_ GUARDED_BY(mutex_);
  std::vector<std::string> troubles_ GUARDED_BY(mutex_);
  std::unique_ptr<HttpServer> collector_;
};

TEST_F(SpanExporterTest, SpansArriveInOrder) {
  SpanExporter exporter(Wanted());
  const std::vector<TraceSpan> first = {SpanNamed("a"), SpanNamed("b")};
  exporter.Add(first);
  EXPECT_TRUE(
      testing::WaitUntil(kPatience, [&] { return Names().size() == 2; }));
  const TraceSpan last = SpanNamed("c");
  exporter.Add({&last, 1});
  EXPECT_TRUE(
      testing::WaitUntil(kPatience, [&] { return Names().size() == 3; }));
  EXPECT_THAT(Names(), ::testing::ElementsAre("a", "b", "c"));
  const sql::MutexLock lock(mutex_);
  EXPECT_EQ(paths_[0], "POST /v1/traces application/json");
}

TEST_F(SpanExporterTest, WhatWaitsIsSentAtTheEnd) {
  {
    SpanExporter::Options slow = Wanted();
    slow.interval = std::chrono::hours(1);
    SpanExporter exporter(std::move(slow));
    const std::vector<TraceSpan> many(600, SpanNamed("a"));
    exporter.Add(std::span(many).first(100));
  }
  EXPECT_EQ(Names().size(), 100U);
}

TEST_F(SpanExporterTest, CollectorThatRefusesIsReportedOnceAndHoldsNobodyUp) {
  Answer(400);
  SpanExporter exporter(Wanted());
  const TraceSpan span = SpanNamed("a");
  exporter.Add({&span, 1});
  EXPECT_TRUE(
      testing::WaitUntil(kPatience, [&] { return exporter.dropped() == 1; }));
  exporter.Add({&span, 1});
  EXPECT_TRUE(
      testing::WaitUntil(kPatience, [&] { return exporter.dropped() == 2; }));
  EXPECT_EQ(Troubles().size(), 1U);
  EXPECT_THAT(Troubles()[0], HasSubstr("400"));
  Answer(200);
  exporter.Add({&span, 1});
  EXPECT_TRUE(
      testing::WaitUntil(kPatience, [&] { return Troubles().size() == 2; }));
  EXPECT_EQ(Troubles()[1], "");
  EXPECT_EQ(Names().size(), 1U);
}

TEST_F(SpanExporterTest, FullQueueDropsWhatIsMore) {
  collector_->Stop();
  SpanExporter exporter(Wanted());
  const std::vector<TraceSpan> many(10'001, SpanNamed("a"));
  exporter.Add(many);
  EXPECT_GE(exporter.dropped(), 1);
}

TEST_F(SpanExporterTest, EndsSoonThoughMuchWaitsForACollectorThatIsAway) {
  collector_->Stop();
  SpanExporter::Options slow = Wanted();
  slow.deadline = std::chrono::seconds(3);
  std::optional<SpanExporter> exporter(std::move(slow));
  exporter->Add(std::vector<TraceSpan>(10'000, SpanNamed("a")));
  const auto begin = std::chrono::steady_clock::now();
  exporter.reset();
  // Each of the 20 batches by itself would take as long as the deadline.
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
}

}  // namespace
}  // namespace fluxnetes::services

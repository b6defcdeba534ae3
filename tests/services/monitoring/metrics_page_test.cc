#include "services/monitoring/metrics_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>

namespace fluxnetes::services {
namespace {

using ::testing::HasSubstr;

TEST(Metrics, AreNamedByPrometheusConventions) {
  const std::regex name("(fluxnetes|process)_[a-z]+(_[a-z]+)*");
  const std::regex label("[a-z]+");
  std::set<std::string_view> names;
  for (const Metric* metric : AllMetrics()) {
    const std::string called(metric->name);
    EXPECT_TRUE(names.insert(metric->name).second) << called << " is twice";
    EXPECT_TRUE(std::regex_match(called, name)) << called;
    EXPECT_EQ(called.ends_with("_total"), metric->type == MetricType::kCounter)
        << called;
    if (metric->type == MetricType::kHistogram) {
      EXPECT_TRUE(called.ends_with("_seconds")) << called;
    }
    EXPECT_TRUE(metric->help.ends_with('.')) << called;
    for (const std::string_view one : metric->labels) {
      EXPECT_TRUE(one.empty() || std::regex_match(std::string(one), label))
          << one;
    }
  }
}

TEST(MetricsPage, ShowsEveryMetricEvenIfNothingIsKnownOfIt) {
  const std::string text = MetricsPage().Text();
  for (const Metric* metric : AllMetrics())
    EXPECT_THAT(text, HasSubstr("\n# TYPE " + std::string(metric->name) + " "));
}

TEST(MetricsPage, LabelsAreEscaped) {
  MetricsPage page;
  page.Add(metrics::kLeader, 1, {"match:a\"b\\c\nd"});
  EXPECT_THAT(page.Text(),
              HasSubstr(R"(fluxnetes_leader{name="match:a\"b\\c\nd"} 1)"));
}

TEST(MetricsPage, HistogramsAreCumulative) {
  MetricsPage page;
  sql::Durations durations;
  durations.Note(std::chrono::microseconds(50));
  durations.Note(std::chrono::milliseconds(2));
  durations.Note(std::chrono::minutes(1));
  page.Add(metrics::kCommit, durations.counts());
  const std::string text = page.Text();
  const std::string name = "\nfluxnetes_cycle_commit_seconds";
  EXPECT_THAT(text, HasSubstr(name + "_bucket{le=\"0.0001\"} 1\n"));
  EXPECT_THAT(text, HasSubstr(name + "_bucket{le=\"0.003\"} 2\n"));
  EXPECT_THAT(text, HasSubstr(name + "_bucket{le=\"30\"} 2\n"));
  EXPECT_THAT(text, HasSubstr(name + "_bucket{le=\"+Inf\"} 3\n"));
  EXPECT_THAT(text, HasSubstr(name + "_count 3\n"));
  EXPECT_THAT(text, HasSubstr(name + "_sum 60.00205\n"));
}

TEST(MetricsPage, TellsOfTheProcess) {
  MetricsPage page;
  AddProcess(page);
  for (const char* figure :
       {"\nprocess_start_time_seconds 1", "\nprocess_cpu_seconds_total ",
        "\nprocess_resident_memory_bytes ", "\nprocess_open_fds "})
    EXPECT_THAT(page.Text(), HasSubstr(figure));
}

}  // namespace
}  // namespace fluxnetes::services

#include "services/monitoring/metrics_page.h"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cassert>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <unordered_map>

namespace fluxnetes::services {
namespace {

prometheus::MetricType LibraryType(MetricType type) {
  switch (type) {
    case MetricType::kCounter:
      return prometheus::MetricType::Counter;
    case MetricType::kGauge:
      return prometheus::MetricType::Gauge;
    case MetricType::kHistogram:
      break;
  }
  return prometheus::MetricType::Histogram;
}

double CpuSeconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) +
         static_cast<double>(time.tv_usec) / 1e6;
}

// See proc(5): field 22 of stat, after the name in parentheses; btime of stat.
double StartTime() {
  std::ifstream self("/proc/self/stat");
  const std::string line{std::istreambuf_iterator<char>(self), {}};
  const std::size_t name = line.rfind(')');
  if (name == std::string::npos) return 0;
  std::istringstream fields(line.substr(name + 1));
  std::string word;
  for (int field = 3; field <= 22; ++field) fields >> word;
  const double ticks = std::strtod(word.c_str(), nullptr);
  std::ifstream all("/proc/stat");
  while (std::getline(all, word))
    if (word.starts_with("btime "))
      return std::strtod(word.c_str() + 6, nullptr) +
             ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
  return 0;
}

}  // namespace

struct MetricsPage::State {
  std::vector<prometheus::MetricFamily> families;
  std::unordered_map<std::string_view, std::size_t> places;

  prometheus::ClientMetric& New(const Metric& metric, const Labels& labels) {
    prometheus::ClientMetric made;
    for (std::size_t i = 0; i < labels.size(); ++i)
      made.label.push_back({std::string(metric.labels.at(i)), labels[i]});
    assert(labels.size() == metric.labels.size() ||
           metric.labels.at(labels.size()).empty());
    auto& family = families.at(places.at(metric.name));
    family.metric.push_back(std::move(made));
    return family.metric.back();
  }
};

MetricsPage::MetricsPage() : state_(std::make_unique<State>()) {
  for (const Metric* metric : AllMetrics()) {
    state_->places[metric->name] = state_->families.size();
    state_->families.push_back({std::string(metric->name),
                                std::string(metric->help),
                                LibraryType(metric->type),
                                {}});
  }
}

MetricsPage::~MetricsPage() = default;

void MetricsPage::Add(const Metric& metric, double value,
                      const Labels& labels) {
  assert(metric.type != MetricType::kHistogram);
  prometheus::ClientMetric& made = state_->New(metric, labels);
  made.counter.value = made.gauge.value = value;
}

void MetricsPage::Add(const Metric& metric, const HistogramCounts& counts,
                      const Labels& labels) {
  assert(metric.type == MetricType::kHistogram);
  assert(counts.within.size() == counts.bounds.size() + 1);
  auto& made = state_->New(metric, labels).histogram;
  std::uint64_t so_far = 0;
  for (std::size_t i = 0; i < counts.within.size(); ++i) {
    so_far += counts.within[i];
    made.bucket.push_back(
        {so_far, i < counts.bounds.size()
                     ? counts.bounds[i]
                     : std::numeric_limits<double>::infinity()});
  }
  made.sample_count = so_far;
  made.sample_sum = counts.sum;
}

void MetricsPage::Add(const Metric& metric,
                      const sql::Durations::Counts& counts,
                      const Labels& labels) {
  Add(metric, {sql::Durations::kBounds, counts.within, counts.seconds}, labels);
}

std::string MetricsPage::Text() const {
  return prometheus::TextSerializer().Serialize(state_->families);
}

void AddProcess(MetricsPage& page) {
  static const double kBegan = StartTime();
  page.Add(metrics::kStartTime, kBegan);
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  page.Add(metrics::kCpu,
           CpuSeconds(used.ru_utime) + CpuSeconds(used.ru_stime));
  double total = 0;
  double resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  page.Add(metrics::kMemory,
           resident * static_cast<double>(sysconf(_SC_PAGESIZE)));
  std::error_code ignored;
  const std::filesystem::directory_iterator files("/proc/self/fd", ignored);
  page.Add(metrics::kOpenFiles,
           static_cast<double>(std::distance(begin(files), end(files))));
}

}  // namespace fluxnetes::services

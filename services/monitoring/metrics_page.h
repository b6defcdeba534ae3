// The text of /metrics in Prometheus' exposition format. Values are added one
// by one, each with its label values; a metric without a value gets only its
// name, type and help text.
//
// One thread.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "services/monitoring/metrics.h"
#include "sql/durations.h"

namespace fluxnetes::services {

// A histogram's data: the count within each bound, and the sum.
struct HistogramCounts {
  std::span<const double> bounds;
  // One more than bounds: above the last.
  std::span<const std::uint64_t> within;
  double sum = 0;
};

class MetricsPage {
 public:
  using Labels = std::vector<std::string>;

  MetricsPage();
  ~MetricsPage();

  void Add(const Metric& metric, double value, const Labels& labels = {});
  void Add(const Metric& metric, const HistogramCounts& counts,
           const Labels& labels = {});
  void Add(const Metric& metric, const sql::Durations::Counts& counts,
           const Labels& labels = {});

  std::string Text() const;

 private:
  struct State;  // keeps the library out of this header
  std::unique_ptr<State> state_;
};

// Adds the process metrics, read from /proc.
void AddProcess(MetricsPage& page);

}  // namespace fluxnetes::services

// The text of /metrics, in Prometheus' exposition format. Figures are added one
// by one, each with a value for each of its labels; those that nothing was
// added to are shown by their name, type and help alone.
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

// A histogram as it is shown: how many were within each bound, and in sum.
struct HistogramCounts {
  std::span<const double> bounds;
  std::span<const std::uint64_t> within;  // one more: beyond the last bound
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

// What /proc says of this process.
void AddProcess(MetricsPage& page);

}  // namespace fluxnetes::services

// What the benchmark of the queue prints: a JSON object per row, for
// hack/benchmark_rows.py. A row is the median of its runs, with the least and
// the most of them.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace fluxnetes::benchmark {

inline constexpr const char* kPerSecond = "1/s";
inline constexpr const char* kTimes = "x";  // of another row's figure
inline constexpr const char* kMilliseconds = "ms";

struct Row {
  std::string name;
  std::vector<double> runs;
  std::string unit = kPerSecond;
  std::optional<double> limit = {};  // what it should reach
  std::optional<double> bare = {};   // the same statements in a libpq loop
  std::optional<double> peer = {};   // what it is compared with
};

void Print(const Row& row);

double Median(std::vector<double> values);
// Of values in any order; `share` 0.99 is the 99th percentile. At least one.
double Percentile(std::vector<double> values, double share);
// One by one: how often the second is in the first.
std::vector<double> Shares(const std::vector<double>& values,
                           const std::vector<double>& of);

inline double SecondsSince(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
      .count();
}

}  // namespace fluxnetes::benchmark

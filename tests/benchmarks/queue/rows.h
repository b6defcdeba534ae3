// The output of the queue's benchmark: a JSON object per row, for
// hack/plots/rows.py. A row has the median, minimum and maximum of its
// runs.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace fluxnetes::benchmark {

inline constexpr const char* kPerSecond = "1/s";
inline constexpr const char* kTimes = "x";  // multiple of another row's value
inline constexpr const char* kMilliseconds = "ms";

struct Row {
  std::string name;
  std::vector<double> runs;
  std::string unit = kPerSecond;
  std::optional<double> limit = {};  // the target
  std::optional<double> bare = {};   // the same statements in a libpq loop
  std::optional<double> peer = {};   // the system compared with
};

void Print(const Row& row);

double Median(std::vector<double> values);
// Values in any order, at least one; `share` 0.99 is the 99th percentile.
double Percentile(std::vector<double> values, double share);
// Divides element by element.
std::vector<double> Shares(const std::vector<double>& values,
                           const std::vector<double>& of);

inline double SecondsSince(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
      .count();
}

}  // namespace fluxnetes::benchmark

#include "tests/benchmarks/kubernetes/rows.h"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <nlohmann/json.hpp>

namespace fluxnetes::benchmarks {

void PrintRow(const std::string& row, const std::string& unit,
              std::vector<double> values,
              const std::map<std::string, double>& extras) {
  std::sort(values.begin(), values.end());
  nlohmann::json json = {{"row", row},
                         {"unit", unit},
                         {"value", values[values.size() / 2]},
                         {"min", values.front()},
                         {"max", values.back()}};
  for (const auto& [name, value] : extras) json[name] = value;
  std::cout << json.dump() << std::endl;
}

void Say(const std::string& what) {
  using std::chrono::steady_clock;
  static const auto begin = steady_clock::now();
  std::cerr << std::chrono::duration_cast<std::chrono::seconds>(
                   steady_clock::now() - begin)
                   .count()
            << " s: " << what << std::endl;
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace fluxnetes::benchmarks

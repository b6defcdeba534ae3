#include "tests/benchmarks/queue/rows.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>

namespace fluxnetes::benchmark {

void Print(const Row& row) {
  nlohmann::ordered_json text{{"row", row.name},
                              {"value", Median(row.runs)},
                              {"unit", row.unit},
                              {"min", std::ranges::min(row.runs)},
                              {"max", std::ranges::max(row.runs)}};
  if (row.limit) text["limit"] = *row.limit;
  if (row.bare) text["bare"] = *row.bare;
  if (row.peer) text["peer"] = *row.peer;
  std::cout << text.dump() << std::endl;
}

double Median(std::vector<double> values) {
  return Percentile(std::move(values), 0.5);
}

double Percentile(std::vector<double> values, double share) {
  const auto last = static_cast<double>(values.size() - 1);
  const auto at = values.begin() + std::lround(share * last);
  std::ranges::nth_element(values, at);
  return *at;
}

std::vector<double> Shares(const std::vector<double>& values,
                           const std::vector<double>& of) {
  std::vector<double> shares;
  for (std::size_t i = 0; i < values.size() && i < of.size(); ++i)
    shares.push_back(values[i] / of[i]);
  return shares;
}

}  // namespace fluxnetes::benchmark

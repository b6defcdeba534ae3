// What a benchmark prints: one JSON object per row, and where it is.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace fluxnetes::benchmarks {

// The median of the runs, the least and the most. `extras`: limit, bare, peer,
// elsewhere (hack/benchmark).
void PrintRow(const std::string& row, const std::string& unit,
              std::vector<double> values,
              const std::map<std::string, double>& extras = {});

// Long work says where it is, on standard error.
void Say(const std::string& what);

double Median(std::vector<double> values);

}  // namespace fluxnetes::benchmarks

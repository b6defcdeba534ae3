// The output of a benchmark: one JSON object per row, and its progress.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace fluxnetes::benchmarks {

// Prints the median, minimum and maximum of the runs. `extras`: limit, bare,
// peer, elsewhere (hack/benchmark).
void PrintRow(const std::string& row, const std::string& unit,
              std::vector<double> values,
              const std::map<std::string, double>& extras = {});

// Reports the progress of long work on standard error.
void Say(const std::string& what);

double Median(std::vector<double> values);

}  // namespace fluxnetes::benchmarks

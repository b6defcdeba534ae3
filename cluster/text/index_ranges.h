// Indexes of the pods of an Indexed Job, in the notation of Kubernetes: numbers
// and ranges in rising order, like "0,3-5,9". (API reference, Job v1 batch:
// succeededIndexes, completedIndexes, failedIndexes.)
// Tests: tests/cluster/text/index_ranges_test.cc.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fluxnetes::cluster {

// From and to, both included.
using IndexRanges = std::vector<std::pair<int, int>>;

// Returns nothing if the text is not written so. Empty text has no ranges.
std::optional<IndexRanges> ParseIndexes(std::string_view text);
std::string FormatIndexes(const IndexRanges& ranges);

IndexRanges RangesOf(const std::set<int>& indexes);
int CountOf(const IndexRanges& ranges);

}  // namespace fluxnetes::cluster

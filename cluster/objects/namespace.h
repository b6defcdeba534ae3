// A Namespace (core/v1): its labels, by which pod affinity selects.
// Tests: tests/cluster/cluster_cache_test.cc.
#pragma once

#include <map>
#include <string>

namespace fluxnetes::cluster {

struct Namespace {
  std::string name;
  std::string resource_version;
  std::map<std::string, std::string> labels;
  bool operator==(const Namespace&) const = default;
};

}  // namespace fluxnetes::cluster

// Amounts of resources that pods request and nodes have. CPU is in thousandths
// of a core, memory and ephemeral storage in bytes, pods and extended resources
// (nvidia.com/gpu) in whole units; all have 64 bits, all are checked.
//
// Plain value. Arithmetic throws std::overflow_error.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace fluxnetes::cluster {

struct Resources {
  std::int64_t cpu_milli = 0;
  std::int64_t memory_bytes = 0;
  std::int64_t ephemeral_bytes = 0;
  std::int64_t pods = 0;
  // Extended resources by name, in order of name, no zeros.
  std::vector<std::pair<std::string, std::int64_t>> extended = {};

  std::int64_t Extended(const std::string& name) const;
  void SetExtended(const std::string& name, std::int64_t amount);

  Resources& operator+=(const Resources& other);
  Resources& operator-=(const Resources& other);
  bool operator==(const Resources&) const = default;

  // True if `request` fits into this, in every resource.
  bool Holds(const Resources& request) const;
};

// The larger of both, per resource.
Resources Maximum(const Resources& a, const Resources& b);

// Adds `more` to `sum`. A sum that overflows 64 bits, as pods of other
// schedulers can cause, becomes the larger of itself and `all`, per resource.
void AddUpTo(const Resources& all, Resources& sum, const Resources& more);

// "2 cpu, 4Gi, 1 nvidia.com/gpu": for people.
std::string Format(const Resources& resources);

}  // namespace fluxnetes::cluster

// Manifests of Pods and Jobs with odd fields, drawn by a seed: scalars that
// YAML 1.1 reads in its own way, names and amounts at their bounds, policies of
// Jobs, and rules on where a pod may go. About half of them are valid.
//
// What the API server's admission decides and the simulated cluster decides
// otherwise is not drawn (docs/workloads.md, "On the simulated cluster").
#pragma once

#include <cstdint>
#include <random>
#include <string>

namespace fluxnetes::testing {

class OddManifests {
 public:
  explicit OddManifests(std::uint64_t seed) : random_(seed) {}

  // Returns one document in YAML.
  std::string Next();

 private:
  // Returns lines "NAME: VALUE" with the indent, each field with that chance.
  template <typename Fields>
  std::string Some(const Fields& fields, int percent, const char* indent);
  std::string Metadata(bool job);
  std::string PodSpec(bool job, const std::string& indent);
  bool Happens(int percent) {
    return static_cast<int>(random_() % 100) < percent;
  }

  std::mt19937_64 random_;
  int count_ = 0;
};

}  // namespace fluxnetes::testing

// The pods of a simulated cluster, by namespace and name, with the state that
// only the cluster knows. A pod has a slot while it exists; a freed slot is
// reused with another generation.
//
// Not thread-safe.
// Tests: tests/cluster/simulated/simulated_cluster_test.cc,
// tests/cluster/simulated/simulated_kubelet_test.cc.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "cluster/cluster_cache.h"
#include "cluster/objects/pod_template.h"

namespace fluxnetes::cluster {

struct SimulatedJob;

// The exit code of a container that is ended by SIGTERM.
inline constexpr int kKilled = 143;

struct SimulatedPod {
  PodPointer pod;  // null: the slot is free
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;
  std::uint32_t epoch = 0;  // of its timers: raised to void the earlier ones
  RestartPolicy restart = RestartPolicy::kNever;
  int attempt = 0;
  bool charged = false;  // its requests count on its node
  PodRun run;
  std::optional<Time> started;
  std::optional<int> exit_code;  // of its container, once that has ended
  bool disrupted = false;        // by its node, or before its deletion
  SimulatedJob* job = nullptr;
  std::unique_ptr<PodCondition> condition;

  bool Over() const { return HasEnded(*pod); }
  bool Active() const { return !Over() && !pod->terminating; }
};

class SimulatedPods {
 public:
  // `pod` has a name that no existing pod has.
  SimulatedPod& Add(PodPointer pod);
  void Remove(SimulatedPod& pod);

  SimulatedPod* Find(std::string_view namespace_name, std::string_view name);
  // Null if the slot is free or another pod has it.
  SimulatedPod* At(std::uint32_t slot, std::uint32_t generation);
  SimulatedPod& At(std::uint32_t slot) { return slots_[slot]; }

  std::size_t Count() const { return by_name_.size(); }
  std::vector<PodPointer> All() const;  // in order of slot

 private:
  struct Name {
    std::string_view namespace_name;
    std::string_view name;
    bool operator==(const Name&) const = default;
  };
  // Hashes and compares slots by the names of their pods.
  struct ByName {
    using is_transparent = void;
    const std::deque<SimulatedPod>* slots;
    Name Of(std::uint32_t slot) const;
    static Name Of(const Name& name) { return name; }
    std::size_t operator()(const auto& key) const { return Hash(Of(key)); }
    bool operator()(const auto& a, const auto& b) const {
      return Of(a) == Of(b);
    }
    static std::size_t Hash(const Name& name);
  };

  std::deque<SimulatedPod> slots_;  // addresses are stable
  std::vector<std::uint32_t> free_;
  std::unordered_set<std::uint32_t, ByName, ByName> by_name_{0, ByName{&slots_},
                                                             ByName{&slots_}};
};

}  // namespace fluxnetes::cluster

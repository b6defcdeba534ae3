// How full bands of nodes were in a simulated course, in columns of time: the
// share of the resource of which the band held most at that time. A band of
// GPU nodes is full when its GPUs are, and one of others when its cpus are.
//
// Owned by one thread.
// Tests: tests/services/simulate/simulation_pictures_test.cc,
// tests/services/simulate/simulation_chart_test.cc.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "workers/simulation/simulation.h"

namespace fluxnetes::services {

class Fullness {
 public:
  // `band_of` says in which of the `bands` a node is.
  Fullness(const workers::Scenario& scenario, const workers::Course& course,
           std::size_t bands, std::size_t columns,
           const std::function<std::size_t(std::size_t)>& band_of);

  // Adds what a group held on a node: the index of the node in the course's
  // list, and the time in columns.
  void Add(std::size_t stay, double from, double to);

  double At(std::size_t band, std::size_t column) const;

  // "cpu", or "scarcest resource" if there are several.
  std::string of() const;

 private:
  double& Held(std::size_t band, std::size_t column, std::size_t resource) {
    return held_[(band * columns_ + column) * resources_ + resource];
  }

  const workers::Course& course_;
  const std::size_t columns_;
  const std::size_t resources_;
  std::vector<std::size_t> bands_;  // by node
  std::vector<double> all_;         // by band and resource
  std::vector<double> held_;        // by band, column and resource
};

}  // namespace fluxnetes::services

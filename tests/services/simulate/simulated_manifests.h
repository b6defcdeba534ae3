// `fluxnetes simulate` with manifests of pods on one node.
// Tests: tests/services/simulate/simulate_manifests_test.cc.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/services/simulate/simulate_command.h"

namespace fluxnetes::services {

// Returns a pod of one cpu that runs for ten seconds.
inline std::string PodWith(const std::string& name, const std::string& labels,
                           const std::string& spec = "") {
  return "apiVersion: v1\nkind: Pod\nmetadata:\n  name: " + name +
         "\n  labels: {" + labels +
         "}\n  annotations: {fluxnetes.io/run-seconds: \"10\"}\nspec:\n"
         "  schedulerName: fluxnetes\n  restartPolicy: Never\n" +
         spec +
         "  containers:\n    - {name: main, image: x, resources: {requests: "
         "{cpu: \"1\"}}}\n---\n";
}

class SimulatedManifests : public SimulateCommand {
 protected:
  // Returns the start of each group by name; -1: none.
  std::map<std::string, std::int64_t> StartsOf(const std::string& manifests,
                                               const std::string& more = "",
                                               int cpus = 2) {
    document_ = RunToJson(
        "-f " + FileWith("pods.yaml", manifests) + " --nodes " +
        FileWith("nodes.yaml", "nodes: [{name: node, cpu: " +
                                   std::to_string(cpus) + ", memory: 8Gi}]") +
        " --csv " + Path("rows.csv") + " " + more);
    std::map<std::string, std::int64_t> starts;
    for (const std::string& row : Rows()) {
      std::vector<std::string> cells;
      std::istringstream in(row);
      for (std::string cell; std::getline(in, cell, ',');)
        cells.push_back(cell);
      if (cells.at(0) != "group")
        starts[cells.at(0)] = cells.at(6).empty() ? -1 : std::stoll(cells[6]);
    }
    return starts;
  }
  std::string InSeconds(int seconds) const {
    return std::to_string(
        std::chrono::floor<std::chrono::seconds>(run_.now().time_since_epoch())
            .count() +
        seconds);
  }

  nlohmann::json document_;
};

using ManifestStarts = std::map<std::string, std::int64_t>;

}  // namespace fluxnetes::services

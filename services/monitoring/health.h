// Liveness and readiness of this process, check by check, in the form of
// Kubernetes' own components:
//
//   [+] database
//   [-] cluster: it has not been listed to its end yet
//
// Plain values.
// Tests: tests/services/monitoring/status_server_test.cc.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace fluxnetes::services {

struct HealthCheck {
  std::string name;
  std::string problem = {};  // for people; empty: the check passes
  std::string note = {};     // a remark on a passing check

  bool Well() const { return problem.empty(); }
};

using Health = std::vector<HealthCheck>;

inline bool IsWell(const Health& health) {
  return std::all_of(health.begin(), health.end(),
                     [](const HealthCheck& check) { return check.Well(); });
}

// Returns one line for each check, in order.
inline std::string Describe(const Health& health) {
  std::string text;
  for (const HealthCheck& check : health) {
    std::string said = check.Well() ? check.note : check.problem;
    // Messages from elsewhere may contain line ends.
    std::replace_if(
        said.begin(), said.end(), [](char c) { return c >= 0 && c < ' '; },
        ' ');
    text += (check.Well() ? "[+] " : "[-] ") + check.name +
            (said.empty() ? "" : ": " + said) + "\n";
  }
  return text;
}

}  // namespace fluxnetes::services

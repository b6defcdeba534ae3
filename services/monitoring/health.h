// Whether this process lives and whether it can do its work, check by check, as
// Kubernetes' own components say it:
//
//   [+] database
//   [-] cluster: it has not been listed to its end yet
//
// Plain values.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace fluxnetes::services {

struct HealthCheck {
  std::string name;
  std::string problem = {};  // for people; empty: it is well
  std::string note = {};     // what else there is to say of one that is well

  bool Well() const { return problem.empty(); }
};

using Health = std::vector<HealthCheck>;

inline bool IsWell(const Health& health) {
  return std::all_of(health.begin(), health.end(),
                     [](const HealthCheck& check) { return check.Well(); });
}

// A line for each check, in order.
inline std::string Describe(const Health& health) {
  std::string text;
  for (const HealthCheck& check : health) {
    std::string said = check.Well() ? check.note : check.problem;
    // What others say may have lines of its own.
    std::replace_if(
        said.begin(), said.end(), [](char c) { return c >= 0 && c < ' '; },
        ' ');
    text += (check.Well() ? "[+] " : "[-] ") + check.name +
            (said.empty() ? "" : ": " + said) + "\n";
  }
  return text;
}

}  // namespace fluxnetes::services

// What `fluxnetes doctor` found of one thing: whether it is well, and if not,
// how to mend it.
//
// Plain value.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace fluxnetes::services {

struct Finding {
  enum class Status {
    kWell,
    kWarning,  // it works, but not as it should, or not for long
    kFailed,
    kSkipped  // it could not be looked at, or does not apply
  };
  std::string check = {};  // "database clock"
  Status status = Status::kWell;
  std::string what = {};  // what was found
  std::string mend = {};  // what to do about it; empty: nothing
};

using Findings = std::vector<Finding>;

}  // namespace fluxnetes::services

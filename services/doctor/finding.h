// The result of one check of `fluxnetes doctor`, and the remedy if it failed.
//
// Plain value.
// Tests: tests/services/doctor/cluster_checkup_test.cc,
// tests/services/doctor/doctor_pgtest.cc.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace fluxnetes::services {

struct Finding {
  enum class Status {
    kWell,
    kWarning,  // it works with a fault, or will not work for long
    kFailed,
    kSkipped  // it could not be checked, or does not apply
  };
  std::string check = {};  // "database clock"
  Status status = Status::kWell;
  std::string what = {};  // the result
  std::string mend = {};  // the remedy; empty: none is needed
};

using Findings = std::vector<Finding>;

}  // namespace fluxnetes::services

// The part of `fluxnetes doctor` that checks the database: the server, the
// schema, rights, its clock, live clients, jobs and partitions.
//
// Read-only. Throws nothing.
// Tests: tests/services/doctor/doctor_pgtest.cc.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "services/config/config.h"
#include "services/doctor/finding.h"
#include "sql/values/parameter.h"

namespace fluxnetes::services {

struct DatabaseCheckup {
  Findings findings = {};
  // The queues with deadline_action owner; nullopt: they could not be read.
  std::optional<std::vector<std::string>> owner_queues = std::nullopt;
};

// `now` reads this host's clock.
DatabaseCheckup CheckDatabase(const Config& config,
                              const std::function<sql::Timestamp()>& now);

}  // namespace fluxnetes::services

// The part of `fluxnetes doctor` that looks at the database: the server, the
// schema, rights, its clock, who is alive, jobs, partitions.
//
// Reads only. Throws nothing.
#pragma once

#include "services/config.h"
#include "services/finding.h"
#include "sql/parameter.h"

namespace fluxnetes::services {

// `now` reads this host's clock.
Findings CheckDatabase(const Config& config,
                       const std::function<sql::Timestamp()>& now);

}  // namespace fluxnetes::services

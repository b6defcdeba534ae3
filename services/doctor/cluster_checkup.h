// The part of `fluxnetes doctor` that looks at the API server: whether it
// answers, which it is, its clock, and each right that the scheduler needs
// (SelfSubjectAccessReview), of whoever the configuration says that we are.
//
// Asks only. Throws nothing.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "services/config/config.h"
#include "services/doctor/finding.h"
#include "sql/values/parameter.h"

namespace fluxnetes::services {

// `now` reads this host's clock. Queues of `owner_queues` need the rights that
// are optional; without it that is not known.
Findings CheckCluster(
    const Config& config,
    const std::function<const char*(const char*)>& environment,
    const std::function<sql::Timestamp()>& now,
    const std::optional<std::vector<std::string>>& owner_queues);

}  // namespace fluxnetes::services

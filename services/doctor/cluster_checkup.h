// The part of `fluxnetes doctor` that checks the API server: whether it
// answers, its version, its clock, and each right that the scheduler needs
// (SelfSubjectAccessReview), with the configured credentials.
//
// Read-only. Throws nothing.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "services/config/config.h"
#include "services/doctor/finding.h"
#include "sql/values/parameter.h"

namespace fluxnetes::services {

// `now` reads this host's clock. The queues in `owner_queues` need the optional
// rights; nullopt means that the queues are unknown.
Findings CheckCluster(
    const Config& config,
    const std::function<const char*(const char*)>& environment,
    const std::function<sql::Timestamp()>& now,
    const std::optional<std::vector<std::string>>& owner_queues);

}  // namespace fluxnetes::services

// Reads from a v1 Pod or a pod template how long a simulated pod runs and how
// it ends: see PodRun in pod_template.h.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>

#include "cluster/objects/pod_template.h"

namespace fluxnetes::cluster {

// Unreadable values count as missing.
PodRun DecodeRun(const nlohmann::json& object, RestartPolicy restart);

// Parses a duration as `sleep` takes it: "12", "0.5", "2m" (s, m, h, d);
// "infinity" and "forever" are `kEndless`. Returns nothing if it is not a
// duration.
inline constexpr std::chrono::milliseconds kEndless =
    std::chrono::milliseconds::max();
std::optional<std::chrono::milliseconds> ParseSleep(std::string_view text);

}  // namespace fluxnetes::cluster

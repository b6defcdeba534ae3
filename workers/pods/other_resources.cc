#include "workers/pods/other_resources.h"

#include <nlohmann/json.hpp>

namespace fluxnetes::workers {
namespace {

constexpr const char* kEphemeral = "ephemeral-storage";

}  // namespace

std::optional<std::string> OtherResources(const cluster::Resources& resources) {
  if (resources.ephemeral_bytes == 0 && resources.extended.empty()) return {};
  nlohmann::json other = nlohmann::json::object();
  if (resources.ephemeral_bytes != 0)
    other[kEphemeral] = resources.ephemeral_bytes;
  for (const auto& [name, amount] : resources.extended) other[name] = amount;
  return other.dump();
}

void ReadOtherResources(const std::string& other,
                        cluster::Resources& resources) {
  const auto parsed = nlohmann::json::parse(other);
  for (const auto& [name, amount] : parsed.items()) {
    if (name == kEphemeral)
      resources.ephemeral_bytes = amount.get<std::int64_t>();
    else
      resources.SetExtended(name, amount.get<std::int64_t>());
  }
}

}  // namespace fluxnetes::workers

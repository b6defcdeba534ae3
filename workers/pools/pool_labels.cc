#include "workers/pools/pool_labels.h"

#include <charconv>

#include "cluster/text/quote.h"

namespace fluxnetes::workers {
namespace {

std::string Refused(const char* kind, const std::string& key,
                    const std::string& value, const std::string& why,
                    const std::string& right) {
  return std::string(kind) + " " + key + " is " + cluster::Quote(value) + ": " +
         why + "; it must be " + right;
}

bool IsOfPool(const std::string& key) {
  return key.starts_with(kPoolLabelPrefix);
}

}  // namespace

PoolLabels ReadPoolLabels(const cluster::Pod& pod) {
  PoolLabels read;
  const auto refuse = [&](std::string why) {
    if (read.refused.empty()) read.refused = std::move(why);
  };
  for (const auto& [key, value] : pod.annotations) {
    if (IsOfPool(key))
      refuse(Refused("annotation", key, value,
                     "as an annotation it says nothing", "a label of the pod"));
  }
  for (const auto& [key, value] : pod.labels) {
    if (!IsOfPool(key)) continue;
    std::int64_t amount = 0;
    const char* const end = value.data() + value.size();
    const auto [last, error] = std::from_chars(value.data(), end, amount);
    if (error != std::errc() || last != end || amount < 1 ||
        amount > kMostOfPool) {
      refuse(
          Refused("label", key, value,
                  "it says how much of the pool the group needs as a whole",
                  "a whole number from 1 to " + std::to_string(kMostOfPool)));
      continue;
    }
    read.pools.emplace(key.substr(kPoolLabelPrefix.size()), amount);
  }
  if (!read.refused.empty()) read.pools.clear();
  return read;
}

}  // namespace fluxnetes::workers

#include "cluster/json/common_parts.h"

#include <functional>
#include <initializer_list>
#include <string>

namespace fluxnetes::cluster {
namespace {

std::size_t HashOf(std::initializer_list<const std::string*> texts) {
  std::size_t hash = 0;
  for (const std::string* text : texts)
    hash = 31 * hash + std::hash<std::string>()(*text);
  return hash;
}

std::size_t HashOf(const std::vector<Toleration>& all) {
  std::size_t hash = 0;
  for (const Toleration& each : all)
    hash = 31 * hash + HashOf({&each.key, &each.value, &each.effect}) +
           (each.exists ? 1 : 0);
  return hash;
}

// Replaces `part` by the known equal one; else makes `part` the known one.
template <typename Part>
void ShareOne(std::weak_ptr<Part>& known, std::shared_ptr<Part>& part) {
  const std::shared_ptr<Part> held = known.lock();
  if (held != nullptr && *held == *part) {
    part = held;
  } else {
    known = part;
  }
}

bool IsGone(const auto& one) { return one.second.expired(); }

}  // namespace

void CommonParts::Share(Pod& pod) {
  for (PodLabels::Label& label : pod.labels.labels_)
    ShareOne(labels_[HashOf({&label->first, &label->second})], label);
  auto& tolerations = pod.request.tolerations.all_;
  if (tolerations != nullptr)
    ShareOne(tolerations_[HashOf(*tolerations)], tolerations);
  if (size() < sweep_at_) return;
  std::erase_if(labels_, [](const auto& one) { return IsGone(one); });
  std::erase_if(tolerations_, [](const auto& one) { return IsGone(one); });
  sweep_at_ = 2 * size() + 1'024;
}

}  // namespace fluxnetes::cluster

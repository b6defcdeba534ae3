#include "workers/bind/bind_room.h"

#include <algorithm>
#include <utility>

namespace fluxnetes::workers {
namespace {

using cluster::Resources;

// True if `node` has less than `used` of a resource that `request` asks for.
bool Exceeds(const Resources& node, const Resources& used,
             const Resources& request) {
  const auto over = [](std::int64_t has, std::int64_t is_used,
                       std::int64_t asks) { return asks > 0 && is_used > has; };
  return over(node.cpu_milli, used.cpu_milli, request.cpu_milli) ||
         over(node.memory_bytes, used.memory_bytes, request.memory_bytes) ||
         over(node.ephemeral_bytes, used.ephemeral_bytes,
              request.ephemeral_bytes) ||
         over(node.pods, used.pods, request.pods) ||
         std::ranges::any_of(request.extended, [&](const auto& each) {
           return over(node.Extended(each.first), used.Extended(each.first),
                       each.second);
         });
}

}  // namespace

void BindRoom::Add(std::size_t group, const cluster::Pod& pod,
                   const std::string& node) {
  const Resources& wish = pod.request.resources;
  cluster::AddUpTo(wish, wishes_[group][node], wish);
}

BindRoom::Amounts BindRoom::Used(const Amounts& nodes) const {
  Amounts used;
  for (const auto& [name, wish] : nodes) {
    const cluster::NodePointer node = cache_.NodeByName(name);
    if (node == nullptr) continue;
    Resources& sum = used[name];
    for (const cluster::PodPointer& pod : cache_.PodsOnNode(name))
      cluster::AddUpTo(node->allocatable, sum, pod->request.resources);
  }
  return used;
}

std::map<std::size_t, std::string> BindRoom::Crowded() {
  const auto wishes = std::exchange(wishes_, {});
  const auto exceeds = [this](const std::string& name, Resources used,
                              const Resources& wish) {
    const cluster::NodePointer node = cache_.NodeByName(name);
    if (node == nullptr) return false;  // the binder checks for that
    cluster::AddUpTo(node->allocatable, used, wish);
    return Exceeds(node->allocatable, used, wish);
  };
  Amounts wished;
  for (const auto& [group, amounts] : wishes) {
    for (const auto& [node, wish] : amounts)
      cluster::AddUpTo(wish, wished[node], wish);
  }
  Amounts used = Used(wished);
  std::erase_if(used, [&](const auto& each) {
    return !exceeds(each.first, each.second, wished.at(each.first));
  });
  if (used.empty()) return {};
  std::map<std::size_t, std::string> crowded;
  for (const auto& [group, amounts] : wishes) {
    const auto full = std::ranges::find_if(amounts, [&](const auto& each) {
      const auto found = used.find(each.first);
      return found != used.end() &&
             exceeds(each.first, found->second, each.second);
    });
    if (full != amounts.end()) {
      crowded.emplace(group, full->first);
      continue;
    }
    for (const auto& [node, wish] : amounts) {
      const auto found = used.find(node);
      if (found != used.end()) cluster::AddUpTo(wish, found->second, wish);
    }
  }
  return crowded;
}

}  // namespace fluxnetes::workers

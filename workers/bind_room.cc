#include "workers/bind_room.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "sql/transaction.h"
#include "workers/other_resources.h"
#include "workers/queries.h"

namespace fluxnetes::workers {
namespace {

using cluster::Resources;

// Whether `request` asks for something of which `node` has less than `used`.
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

// More than 64 bits can tell: all that there is.
void AddTo(Resources& sum, const Resources& more, const Resources& all) {
  try {
    sum += more;
  } catch (const std::overflow_error&) {
    sum = cluster::Maximum(sum, all);
  }
}

std::vector<std::string> NamesIn(
    const std::map<std::string, Resources>& amounts) {
  std::vector<std::string> names;
  for (const auto& [name, amount] : amounts) names.push_back(name);
  return names;
}

}  // namespace

void BindRoom::Add(std::size_t group, const cluster::Pod& pod,
                   const std::string& node) {
  AddTo(wishes_[group][node], pod.request.resources, pod.request.resources);
}

BindRoom::Amounts BindRoom::Used(const std::vector<std::string>& nodes,
                                 const Amounts& of) const {
  Amounts used;
  for (const std::string& name : nodes) {
    const cluster::NodePointer node = cache_.NodeByName(name);
    if (node == nullptr) continue;
    Resources& sum = used[name];
    for (const cluster::PodPointer& pod : cache_.PodsOnNode(name)) {
      const auto said = of.find(pod->uid);
      AddTo(sum, said == of.end() ? pod->request.resources : said->second,
            node->allocatable);
    }
  }
  return used;
}

BindRoom::Amounts BindRoom::ReadGrants(const std::vector<std::string>& nodes) {
  std::vector<std::string> uids, names;
  for (const std::string& node : nodes) {
    for (const cluster::PodPointer& pod : cache_.PodsOnNode(node)) {
      uids.push_back(pod->uid);
      names.push_back(node);
    }
  }
  Amounts grants;
  for (const sql::Row row :
       sql::RunAlone(pool_, queries::kReadGrants, uids, names)) {
    Resources& grant = grants[row.Get<std::string>("pod_uid")];
    grant.cpu_milli = row.Get<std::int64_t>("cpu_milli");
    grant.memory_bytes = row.Get<std::int64_t>("memory_bytes");
    grant.pods = 1;
    if (const auto other = row.Find<std::string>("other"))
      ReadOtherResources(*other, grant);
  }
  return grants;
}

std::map<std::size_t, std::string> BindRoom::Crowded() {
  const auto wishes = std::exchange(wishes_, {});
  const auto exceeds = [this](const std::string& name, Resources used,
                              const Resources& wish) {
    const cluster::NodePointer node = cache_.NodeByName(name);
    if (node == nullptr) return false;  // the binder sees to it
    AddTo(used, wish, node->allocatable);
    return Exceeds(node->allocatable, used, wish);
  };
  Amounts wished;
  for (const auto& [group, amounts] : wishes) {
    for (const auto& [node, wish] : amounts) AddTo(wished[node], wish, wish);
  }
  Amounts used = Used(NamesIn(wished), {});
  std::erase_if(used, [&](const auto& each) {
    return !exceeds(each.first, each.second, wished.at(each.first));
  });
  if (used.empty()) return {};
  const std::vector<std::string> suspects = NamesIn(used);
  used = Used(suspects, ReadGrants(suspects));
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
      if (found != used.end()) AddTo(found->second, wish, wish);
    }
  }
  return crowded;
}

}  // namespace fluxnetes::workers

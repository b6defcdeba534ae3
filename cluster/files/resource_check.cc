#include "cluster/files/resource_check.h"

#include <array>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "cluster/files/field_check.h"
#include "cluster/text/json_field.h"
#include "cluster/text/quantity.h"
#include "cluster/text/quote.h"

namespace fluxnetes::cluster {
namespace {

using Json = nlohmann::json;
using Complaint = std::optional<std::string>;

constexpr std::string_view kHugePages = "hugepages-";
constexpr std::string_view kQuotaPrefix = "requests.";

std::string AmountText(const Json& amount) {
  return amount.is_string() ? amount.get<std::string>() : amount.dump();
}

std::int64_t Milli(const Json& amount) {
  return ParseCpuMilli(AmountText(amount));
}

bool IsHugePages(std::string_view name) { return name.starts_with(kHugePages); }

// Kubernetes' own; every other resource has the domain of its vendor.
bool IsNative(std::string_view name) {
  return name.find('/') == std::string_view::npos ||
         name.find("kubernetes.io/") != std::string_view::npos;
}

// Of the others, a pod gets what it asks for, no more and no less.
bool MayExceedRequest(std::string_view name) {
  return IsNative(name) && !IsHugePages(name);
}

Complaint CheckResourceName(const std::string& name, bool of_pod) {
  const bool common = name == "cpu" || name == "memory" || IsHugePages(name);
  if (of_pod && !common) {
    return "; resources of a whole pod are cpu, memory and hugepages-SIZE";
  }
  if (name.find('/') == std::string::npos) {
    if (common || name == "ephemeral-storage") return std::nullopt;
    return "; a resource is cpu, memory, ephemeral-storage, hugepages-SIZE or "
           "DOMAIN/NAME, like nvidia.com/gpu";
  }
  if (IsNative(name)) return std::nullopt;
  if (name.starts_with(kQuotaPrefix)) {
    return "; only a quota may say requests. before a name";
  }
  if (IsQualifiedName(std::string(kQuotaPrefix) + name)) return std::nullopt;
  return "; its domain is too long";
}

// Bytes of one page; nothing: the name has no size.
std::optional<std::int64_t> PageSize(std::string_view name) {
  try {
    const auto size = ParseQuantity(name.substr(kHugePages.size()));
    if (size > 0) return size;
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
  return std::nullopt;
}

Complaint CheckWhole(const std::string& name, const Json& amount) {
  if ((!IsNative(name) || name == "pods") && Milli(amount) % 1000 != 0) {
    return " is " + AmountText(amount) +
           "; it must be a whole number, because " + name +
           " cannot be divided";
  }
  if (!IsHugePages(name)) return std::nullopt;
  const auto page = PageSize(name);
  if (!page) return "; hugepages- needs a size, like hugepages-2Mi";
  if (ParseQuantity(AmountText(amount)) % *page == 0) return std::nullopt;
  return " is " + AmountText(amount) + "; it must be a multiple of " +
         name.substr(kHugePages.size());
}

Complaint CheckRequest(const std::string& name, const Json& request,
                       const Json& limits) {
  const Json& limit = At(limits, name.c_str());
  if (MayExceedRequest(name)) {
    if (limit.is_null() || Milli(request) <= Milli(limit)) return std::nullopt;
    return " is more than the limit; ask for that or less";
  }
  if (limit.is_null()) {
    return " has no limit; write the same amount under limits, because a pod "
           "gets " +
           name + " only for itself";
  }
  if (Milli(request) == Milli(limit)) return std::nullopt;
  return " is not the limit; both must be the same, because a pod gets " +
         name + " only for itself";
}

bool HasHugePagesAlone(const Json& resources) {
  bool pages = false;
  for (const char* const list : {"requests", "limits"}) {
    const Json& amounts = At(resources, list);
    if (!amounts.is_object()) continue;
    for (const auto& [name, amount] : amounts.items()) {
      if (name == "cpu" || name == "memory") return false;
      pages = pages || IsHugePages(name);
    }
  }
  return pages;
}

Complaint CheckResources(const Json& resources, const std::string& path,
                         bool of_pod) {
  const Json& limits = At(resources, "limits");
  for (const char* const list : {"limits", "requests"}) {
    const Json& amounts = At(resources, list);
    if (!amounts.is_object()) continue;
    for (const auto& [name, amount] : amounts.items()) {
      if (amount.is_null()) continue;
      const std::string own = path + "." + list + "[" + Quote(name) + "]";
      if (auto why = CheckResourceName(name, of_pod)) return own + *why;
      if (auto why = CheckWhole(name, amount)) return own + *why;
      if (std::string_view(list) == "limits") continue;
      if (auto why = CheckRequest(name, amount, limits)) return own + *why;
    }
  }
  if (!HasHugePagesAlone(resources)) return std::nullopt;
  return path + " has huge pages alone; they need cpu or memory beside them";
}

}  // namespace

Complaint WhatIsWrongWithResources(const Json& spec, const std::string& path) {
  for (const char* const list : {"containers", "initContainers"}) {
    const auto& containers = List(At(spec, list));
    for (std::size_t i = 0; i < containers.size(); ++i) {
      const std::string own = path + "." + list + "[" + std::to_string(i) + "]";
      if (auto why = CheckResources(At(containers[i], "resources"),
                                    own + ".resources", false)) {
        return why;
      }
    }
  }
  if (auto why =
          CheckResources(At(spec, "resources"), path + ".resources", true)) {
    return why;
  }
  const Json& overhead = At(spec, "overhead");
  if (!overhead.is_object()) return std::nullopt;
  for (const auto& [name, amount] : overhead.items()) {
    const std::string own = path + ".overhead[" + Quote(name) + "]";
    if (auto why = CheckResourceName(name, false)) return own + *why;
    if (auto why = CheckWhole(name, amount)) return own + *why;
  }
  return std::nullopt;
}

Complaint WhatIsWrongWithOffer(const Json& amounts, const std::string& path) {
  if (!amounts.is_object()) return std::nullopt;
  for (const auto& [name, amount] : amounts.items()) {
    if (IsHugePages(name)) continue;
    if (auto why = CheckWhole(name, amount)) {
      return path + "[" + Quote(name) + "]" + *why;
    }
  }
  return std::nullopt;
}

}  // namespace fluxnetes::cluster

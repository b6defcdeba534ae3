#include "cluster/pod_requests.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "cluster/json_field.h"
#include "cluster/objects.h"
#include "cluster/quantity.h"

namespace fluxnetes::cluster {
namespace {

using Json = nlohmann::json;

// A list of resources by name; `unreadable` stands for amounts that are.
class Amounts {
 public:
  explicit Amounts(std::int64_t unreadable) : unreadable_(unreadable) {}

  void Read(const Json& list) {
    if (!list.is_object()) return;
    for (const auto& [name, amount] : list.items()) Set(name, amount);
  }
  const Resources& Get() const { return resources_; }

 private:
  void Set(const std::string& name, const Json& amount) {
    if (name == "cpu") {
      resources_.cpu_milli = Parse(amount, ParseCpuMilli);
    } else if (name == "memory") {
      resources_.memory_bytes = Parse(amount, ParseQuantity);
    } else if (name == "ephemeral-storage") {
      resources_.ephemeral_bytes = Parse(amount, ParseQuantity);
    } else if (name == "pods") {
      resources_.pods = Parse(amount, ParseQuantity);
    } else {
      resources_.SetExtended(name, Parse(amount, ParseQuantity));
    }
  }

  std::int64_t Parse(const Json& amount,
                     std::int64_t (*parse)(std::string_view)) const {
    try {
      const std::string text =
          amount.is_string() ? amount.get<std::string>() : amount.dump();
      return std::min(parse(text), kLargestAmount);
    } catch (const std::exception&) {  // not a quantity, or no UTF-8
      return unreadable_;
    }
  }

  const std::int64_t unreadable_;
  Resources resources_;
};

// Requests, with the limits where there are none, as the API server fills in.
Resources RequestsOf(const Json& owner) {
  const Json& resources = At(owner, "resources");
  Amounts amounts(kLargestAmount);
  amounts.Read(At(resources, "limits"));
  amounts.Read(At(resources, "requests"));
  return amounts.Get();
}

std::int64_t Capped(std::int64_t amount) {
  return std::min(amount, kLargestAmount);
}

// The sum; amounts stay at most kLargestAmount.
Resources Plus(Resources a, const Resources& b) {
  a += b;
  a.cpu_milli = Capped(a.cpu_milli);
  a.memory_bytes = Capped(a.memory_bytes);
  a.ephemeral_bytes = Capped(a.ephemeral_bytes);
  a.pods = Capped(a.pods);
  for (auto& [name, amount] : a.extended) amount = Capped(amount);
  return a;
}

Resources OfContainers(const Json& spec) {
  Resources all;
  for (const Json& container : List(At(spec, "containers"))) {
    all = Plus(std::move(all), RequestsOf(container));
  }
  Resources sidecars;
  Resources starting;
  for (const Json& container : List(At(spec, "initContainers"))) {
    const Resources own = RequestsOf(container);
    if (Text(container, "restartPolicy") == "Always") {
      all = Plus(std::move(all), own);
      sidecars = Plus(std::move(sidecars), own);
      starting = Maximum(starting, sidecars);
    } else {
      starting = Maximum(starting, Plus(sidecars, own));
    }
  }
  return Maximum(all, starting);
}

// What the pod asks for as a whole takes the place of the sum.
void Override(const Json& spec, Resources& sum) {
  const Json& resources = At(spec, "resources");
  if (!resources.is_object()) return;
  const Resources whole = RequestsOf(spec);
  const auto says = [&](const char* name) {
    return !At(At(resources, "requests"), name).is_null() ||
           !At(At(resources, "limits"), name).is_null();
  };
  if (says("cpu")) sum.cpu_milli = whole.cpu_milli;
  if (says("memory")) sum.memory_bytes = whole.memory_bytes;
}

}  // namespace

Resources DecodeRequests(const Json& spec) {
  Resources sum = OfContainers(spec);
  Override(spec, sum);
  sum = Plus(std::move(sum), DecodeAmounts(At(spec, "overhead")));
  sum.pods = 1;
  return sum;
}

Resources DecodeAmounts(const Json& amounts) {
  Amounts asked(kLargestAmount);
  asked.Read(amounts);
  return asked.Get();
}

Resources DecodeOffer(const Json& amounts) {
  Amounts offer(0);
  offer.Read(amounts);
  return offer.Get();
}

}  // namespace fluxnetes::cluster

#include "cluster/json/pod_requests.h"

#include <algorithm>
#include <stdexcept>

#include "cluster/json/objects.h"
#include "cluster/text/quantity.h"

namespace fluxnetes::cluster {
namespace {

// Amounts by resource name; an unreadable amount counts as `unreadable`.
class Amounts {
 public:
  explicit Amounts(std::int64_t unreadable) : unreadable_(unreadable) {}

  void Read(const EncodedValue& list) {
    for (const auto& [name, amount] : list.Entries()) Set(name, amount);
  }
  void Set(const std::string& name, const EncodedValue& amount) {
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
  const Resources& Get() const { return resources_; }

 private:
  std::int64_t Parse(const EncodedValue& amount,
                     std::int64_t (*parse)(std::string_view)) const {
    try {
      return std::min(parse(amount.Written()), kLargestAmount);
    } catch (const std::exception&) {  // not a quantity, or no UTF-8
      return unreadable_;
    }
  }

  const std::int64_t unreadable_;
  Resources resources_;
};

// The requests; a missing request is the limit, as the API server defaults it.
Resources RequestsOf(const EncodedValue& owner) {
  const EncodedValue resources = At(owner, "resources");
  Amounts amounts(kLargestAmount);
  amounts.Read(At(resources, "limits"));
  amounts.Read(At(resources, "requests"));
  return amounts.Get();
}

std::int64_t Capped(std::int64_t amount) {
  return std::min(amount, kLargestAmount);
}

// The sum, with each amount capped at kLargestAmount.
Resources Plus(Resources a, const Resources& b) {
  a += b;
  a.cpu_milli = Capped(a.cpu_milli);
  a.memory_bytes = Capped(a.memory_bytes);
  a.ephemeral_bytes = Capped(a.ephemeral_bytes);
  a.pods = Capped(a.pods);
  for (auto& [name, amount] : a.extended) amount = Capped(amount);
  return a;
}

// The progress of a resize in place, from the status that the kubelet writes.
// Until the resize is done, the largest of the request, the kubelet's grant and
// the container's running amounts counts; once the resize is infeasible, the
// request does not count. (KEP 1287, "Scheduler"; k8s.io/component-helpers,
// resource.)
class Resize {
 public:
  explicit Resize(const EncodedValue& status) : status_(status) {
    for (const EncodedValue& condition : List(At(status, "conditions"))) {
      if (Text(condition, "type") != "PodResizePending") continue;
      infeasible_ = Text(condition, "reason") == "Infeasible";
      break;
    }
  }

  Resources OfContainer(const EncodedValue& container) const {
    const std::string name = Text(container, "name");
    for (const char* const list :
         {"containerStatuses", "initContainerStatuses"}) {
      for (const EncodedValue& one : List(At(status_, list))) {
        if (!name.empty() && Text(one, "name") == name) {
          return Effective(RequestsOf(container), one);
        }
      }
    }
    return RequestsOf(container);
  }

  // `granted` is an object with "resources" and "allocatedResources".
  Resources Effective(Resources asked, const EncodedValue& granted) const {
    if (!At(granted, "resources").IsObject()) return asked;
    const Resources held =
        Maximum(DecodeAmounts(At(At(granted, "resources"), "requests")),
                DecodeAmounts(At(granted, "allocatedResources")));
    return infeasible_ ? held : Maximum(asked, held);
  }

  const EncodedValue& status() const { return status_; }

 private:
  const EncodedValue status_;
  bool infeasible_ = false;
};

bool IsSidecar(const EncodedValue& container) {
  return Text(container, "restartPolicy") == "Always";
}

Resources OfContainers(const EncodedValue& spec, const Resize& resize) {
  Resources all;
  for (const EncodedValue& container : List(At(spec, "containers"))) {
    all = Plus(std::move(all), resize.OfContainer(container));
  }
  Resources sidecars;
  Resources starting;
  for (const EncodedValue& container : List(At(spec, "initContainers"))) {
    if (IsSidecar(container)) {
      const Resources own = resize.OfContainer(container);
      all = Plus(std::move(all), own);
      sidecars = Plus(std::move(sidecars), own);
      starting = Maximum(starting, sidecars);
    } else {
      starting = Maximum(starting, Plus(sidecars, RequestsOf(container)));
    }
  }
  return Maximum(all, starting);
}

// Requests of the whole pod replace the sum: cpu, memory and huge pages. A
// pod-level limit alone counts as the request if no container requests that
// resource. (Kubernetes: "Assign Pod-level CPU and memory resources".)
void Override(const EncodedValue& spec, const Resize& resize, Resources& sum) {
  const EncodedValue resources = At(spec, "resources");
  const Resources whole = resize.Effective(RequestsOf(spec), resize.status());
  const auto takes = [&](const std::string& name, std::int64_t so_far) {
    if (!At(At(resources, "requests"), name).IsNull()) return true;
    return so_far == 0 && !At(At(resources, "limits"), name).IsNull();
  };
  if (takes("cpu", sum.cpu_milli)) sum.cpu_milli = whole.cpu_milli;
  if (takes("memory", sum.memory_bytes)) sum.memory_bytes = whole.memory_bytes;
  for (const auto& [name, amount] : whole.extended) {
    if (name.starts_with("hugepages-") && takes(name, sum.Extended(name))) {
      sum.SetExtended(name, amount);
    }
  }
}

// Whether there are limits of cpu and memory, and the requests equal them.
bool IsLimited(const EncodedValue& owner) {
  Amounts limits(kLargestAmount);
  limits.Read(At(At(owner, "resources"), "limits"));
  const Resources& most = limits.Get();
  const Resources asked = RequestsOf(owner);
  return most.cpu_milli > 0 && most.memory_bytes > 0 &&
         asked.cpu_milli == most.cpu_milli &&
         asked.memory_bytes == most.memory_bytes;
}

}  // namespace

// Amounts of the whole pod go before those of its containers.
bool IsGuaranteed(const EncodedValue& spec) {
  if (At(spec, "resources").IsObject()) return IsLimited(spec);
  if (List(At(spec, "containers")).empty()) return false;
  for (const char* const list : {"containers", "initContainers"}) {
    for (const EncodedValue& container : List(At(spec, list))) {
      if (!IsLimited(container)) return false;
    }
  }
  return true;
}

Resources DecodeRequests(const EncodedValue& spec, const EncodedValue& status) {
  const Resize resize(status);
  Resources sum = OfContainers(spec, resize);
  if (At(spec, "resources").IsObject()) Override(spec, resize, sum);
  sum = Plus(std::move(sum), DecodeAmounts(At(spec, "overhead")));
  sum.pods = 1;
  return sum;
}

Resources DecodeAmounts(const EncodedValue& amounts) {
  Amounts asked(kLargestAmount);
  asked.Read(amounts);
  return asked.Get();
}

std::int64_t DecodeStorage(const EncodedValue& amounts) {
  Amounts storage(0);
  storage.Set("ephemeral-storage", At(amounts, "storage"));
  return storage.Get().ephemeral_bytes;
}

Resources DecodeOffer(const EncodedValue& amounts) {
  Amounts offer(0);
  offer.Read(amounts);
  return offer.Get();
}

}  // namespace fluxnetes::cluster

#include "workers/labels/inside_labels.h"

#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "matcher/inside/node_interior.h"
#include "sql/faults.h"
#include "workers/labels/label_values.h"

namespace fluxnetes::workers {
namespace {

constexpr std::int64_t kMib = std::int64_t{1} << 20;

const std::string* LabelOf(const cluster::Pod& pod, const char* name) {
  const auto found = pod.labels.find(name);
  return found == pod.labels.end() ? nullptr : &found->second;
}

bool IsDomain(const std::string& word) {
  return word == "numa" || word == "socket" || word == "island";
}

std::string ReadAlign(const cluster::Pod& pod, cluster::InsideTerms& terms) {
  const std::string* const required = LabelOf(pod, kAlignLabel);
  const std::string* const preferred = LabelOf(pod, kAlignPreferredLabel);
  if (required == nullptr && preferred == nullptr) return "";
  if (required != nullptr && preferred != nullptr)
    return Refusal(LabelCalled(kAlignPreferredLabel), *preferred,
                   "the pod has the label " + std::string(kAlignLabel) +
                       " too, which requires what this one prefers",
                   "alone, or left out");
  terms.align_required = required != nullptr;
  const std::string& word = required != nullptr ? *required : *preferred;
  if (!IsDomain(word))
    return Refusal(
        LabelCalled(required != nullptr ? kAlignLabel : kAlignPreferredLabel),
        word, "nodes have no such domain", "numa, socket or island");
  terms.align = word;
  return "";
}

std::string ReadCpus(const cluster::Pod& pod, cluster::InsideTerms& terms) {
  const std::string* const cpus = LabelOf(pod, kCpusLabel);
  if (cpus == nullptr) return "";
  const std::string place = LabelCalled(kCpusLabel);
  if (*cpus == "exclusive") {
    terms.cpus = "cores";
  } else if (*cpus == "exclusive-sockets") {
    terms.cpus = "sockets";
  } else {
    return Refusal(place, *cpus, "it says which cpus a pod has for itself",
                   "exclusive or exclusive-sockets");
  }
  const bool within = terms.align == "numa" || terms.align == "island";
  if (terms.cpus == "sockets" && within)
    return Refusal(place, *cpus,
                   "whole sockets are not inside of one " + terms.align +
                       ", for which the pod asks too",
                   "exclusive, or the alignment socket");
  return "";
}

// What the labels say, against what the pod requests.
std::string WhyNotInside(const cluster::Pod& pod,
                         const cluster::InsideTerms& terms) {
  const char* label = terms.cpus.empty() ? kAlignLabel : kCpusLabel;
  if (terms.cpus.empty() && !terms.align_required) label = kAlignPreferredLabel;
  const std::string place = LabelCalled(label);
  const std::string& value = pod.labels.find(label)->second;
  if (terms.align == "island" && !pod.request.rules->resource_claims.empty())
    return Refusal(place, value,
                   "the pod claims devices, and drivers do not say in which "
                   "island a device is",
                   "numa or socket");
  const std::int64_t milli = pod.request.resources.cpu_milli;
  if (milli % 1'000 != 0)
    return Refusal(place, value,
                   "the pod has whole cores, but requests " +
                       std::to_string(milli) + "m of cpu",
                   "on a pod whose cpu is a whole number");
  if (!terms.cpus.empty() && milli == 0)
    return Refusal(place, value, "the pod requests no cpu",
                   "on a pod that requests a whole number of cpus");
  cluster::PodRequest request = pod.request;
  request.rules.Own().inside = terms;
  try {
    InsideOf(request);
  } catch (const std::invalid_argument& error) {
    return Refusal(place, value, error.what(),
                   "on a pod that requests cpus, memory or GPUs of one node");
  }
  return "";
}

bool EndsIn(std::string_view name, std::string_view part) {
  return name.ends_with(part);
}

matcher::Jobspec BelowNode(const std::string& resources) {
  return matcher::ParseJobspec(
      R"({"version": 9999, "tasks": [], "attributes": {}, "resources": )" +
      resources + "}");
}

}  // namespace

InsideLabels ReadInsideLabels(const cluster::Pod& pod) {
  InsideLabels read;
  read.refused = ReadAlign(pod, read.terms);
  if (read.refused.empty()) read.refused = ReadCpus(pod, read.terms);
  if (read.refused.empty() && !(read.terms == cluster::InsideTerms{}))
    read.refused = WhyNotInside(pod, read.terms);
  if (!read.refused.empty()) read.terms = {};
  return read;
}

namespace {

// What kubelets that place pods by domains place of this one. More than any
// node has is not placed at all: amounts tell that.
matcher::KubeletDemand DemandOf(const cluster::PodRequest& request) {
  const std::int64_t cpus = cluster::WholeCpus(request);
  std::int64_t gpus = 0;
  for (const auto& [name, amount] : request.resources.extended)
    if (EndsIn(name, "/gpu")) gpus += amount;
  constexpr std::int64_t kMost = 1 << 20;
  if (cpus > kMost || gpus > kMost) return {};
  return {static_cast<std::int32_t>(cpus), static_cast<std::int32_t>(gpus)};
}

matcher::InsideRequest InsideByTerms(const cluster::PodRequest& request) {
  const cluster::InsideTerms& terms = request.rules->inside;
  if (!terms.jobspec.empty()) return RequestOf(BelowNode(terms.jobspec));
  const cluster::Resources& needs = request.resources;
  matcher::InsideWish wish;
  if (terms.align == "numa") wish.align = matcher::Align::kNuma;
  if (terms.align == "socket") wish.align = matcher::Align::kSocket;
  if (terms.align == "island") wish.align = matcher::Align::kIsland;
  if (sql::BugPlanted("domains-mixed")) wish.align = {};
  wish.align_required = terms.align_required;
  wish.whole_sockets = terms.cpus == "sockets";
  wish.cpus = (needs.cpu_milli + 999) / 1'000;
  // Cores alone leave memory and devices where the node has them.
  if (terms.align.empty() && !wish.whole_sockets) return RequestOf(wish);
  wish.memory_mib =
      needs.memory_bytes / kMib + (needs.memory_bytes % kMib > 0 ? 1 : 0);
  for (const auto& [name, amount] : needs.extended) {
    if (EndsIn(name, "/gpu")) wish.gpus += amount;
    if (EndsIn(name, "/nic")) wish.nics += amount;
  }
  return RequestOf(wish);
}

}  // namespace

matcher::InsideRequest InsideOf(const cluster::PodRequest& request) {
  matcher::InsideRequest inside = InsideByTerms(request);
  inside.demand = DemandOf(request);
  return inside;
}

std::optional<matcher::InsideRequest> InsideOfKubelet(
    const cluster::PodRequest& request) {
  const matcher::KubeletDemand demand = DemandOf(request);
  if (!demand.Any()) return std::nullopt;
  return matcher::RequestOfKubelet(demand.cpus, demand.gpus);
}

matcher::TasksOfKubelet KubeletOf(const cluster::Node& node) {
  if (sql::BugPlanted("kubelets-forgotten"))
    return matcher::TasksOfKubelet::kAny;
  switch (node.topology_policy) {
    case cluster::TopologyPolicy::kSingleNumaNode:
      return matcher::TasksOfKubelet::kInOneDomain;
    case cluster::TopologyPolicy::kRestricted:
      return matcher::TasksOfKubelet::kInFewestDomains;
    case cluster::TopologyPolicy::kNone:
      break;
  }
  return matcher::TasksOfKubelet::kAny;
}

namespace {

std::string DomainInWords(const cluster::InsideTerms& terms) {
  return "in one " + (terms.align == "numa" ? "NUMA domain" : terms.align);
}

}  // namespace

std::string AlignedInWords(const cluster::InsideTerms& terms) {
  if (terms.align.empty() || !terms.align_required) return "";
  return " " + DomainInWords(terms) + " with its cpus and memory";
}

std::string InsideInWords(const cluster::InsideTerms& terms) {
  if (!terms.jobspec.empty()) return "as its jobspec says";
  std::string words;
  if (!terms.align.empty()) {
    words = DomainInWords(terms);
    if (!terms.align_required) words += ", if possible";
  }
  if (terms.cpus.empty()) return words;
  if (!words.empty()) words += ", ";
  return words + "whole " + terms.cpus;
}

std::string InsideInWords(const cluster::PodRequest& request) {
  const cluster::InsideTerms& terms = request.rules->inside;
  return terms == cluster::InsideTerms{}
             ? "in as few NUMA domains as the kubelet demands"
             : InsideInWords(terms);
}

}  // namespace fluxnetes::workers

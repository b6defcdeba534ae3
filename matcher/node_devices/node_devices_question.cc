#include <fmt/format.h>

#include <algorithm>

#include "matcher/node_devices/node_devices_state.h"

namespace fluxnetes::matcher {

std::string WithinNuma(const std::vector<std::int64_t>& numa) {
  const std::string number =
      "device.attributes[\"resource.kubernetes.io\"].?numaNode"
      ".or(device.attributes[device.driver].?numaNode)"
      ".or(device.attributes[device.driver].?numaNodeID)"
      ".or(device.attributes[device.driver].?numa)"
      ".or(device.attributes[\"dra.net\"].?numaNode)";
  if (numa.empty()) return number + ".hasValue()";
  return number + fmt::format(".orValue(-1) in [{}]", fmt::join(numa, ", "));
}

DeviceQuestion::Choice NodeDevices::State::ChoiceOf(
    const DeviceClaim& claim, const DeviceRequest& request,
    const DeviceChoice& wanted, Question& question) {
  DeviceQuestion::Choice choice;
  choice.wanted = &wanted;
  choice.all = wanted.all;
  choice.admin = wanted.admin_access;
  choice.count = static_cast<int>(
      std::clamp<std::int64_t>(wanted.count, 0, kMostDevicesOfClaim + 1));
  const auto of_class = classes.find(wanted.device_class);
  if (of_class != classes.end() && of_class->second.error.empty()) {
    std::vector<std::string> selectors = of_class->second.content.selectors;
    selectors.insert(selectors.end(), wanted.selectors.begin(),
                     wanted.selectors.end());
    choice.probe = kinds.TakeProbe(selectors);
    question.probes.push_back(choice.probe);
  }
  const auto& all = question.question.constraints;
  const std::size_t first = all.size() - claim.constraints.size();
  for (std::size_t i = 0; i < claim.constraints.size(); ++i) {
    if (Concerns(claim.constraints[i], request, wanted)) {
      choice.constraints.push_back(static_cast<int>(first + i));
    }
  }
  return choice;
}

void NodeDevices::State::AddClaim(const TaskDevices& devices, int index,
                                  Question& question) {
  using Rule = DeviceQuestion::Constraint::Rule;
  const DeviceClaim& claim = devices.claims[index];
  for (const DeviceConstraint& each : claim.constraints) {
    const bool match = !each.match.empty();
    question.question.constraints.push_back(
        {kinds.TakeAttribute(match ? each.match : each.distinct),
         match ? Rule::kMatch : Rule::kDistinct});
  }
  const auto aligned = static_cast<int>(devices.align.size());
  for (std::size_t r = 0; r < claim.requests.size(); ++r) {
    DeviceQuestion::Request request{index, static_cast<int>(r), {}};
    for (const DeviceChoice& wanted : claim.requests[r].choices) {
      request.choices.push_back(
          ChoiceOf(claim, claim.requests[r], wanted, question));
      auto& constraints = request.choices.back().constraints;
      for (int a = 0; a < aligned; ++a) constraints.push_back(a);
    }
    question.question.requests.push_back(std::move(request));
  }
}

const NodeDevices::State::Question& NodeDevices::State::QuestionOf(
    Request& request, std::uint64_t pinned) {
  const auto [at, added] = request.questions.try_emplace(pinned);
  Question& question = at->second;
  if (!added) return question;
  question.id = next_question++;
  const TaskDevices& devices = request.devices;
  if (request.numa) {
    question.question.within = kinds.TakeProbe({WithinNuma(*request.numa)});
    question.probes.push_back(question.question.within);
  }
  for (const std::string& name : devices.align) {
    question.question.constraints.push_back(
        {kinds.TakeAttribute(name), DeviceQuestion::Constraint::Rule::kAlign});
  }
  for (int c = 0; c < static_cast<int>(devices.claims.size()); ++c) {
    if ((pinned >> c & 1) == 0) AddClaim(devices, c, question);
  }
  return question;
}

}  // namespace fluxnetes::matcher

#include "tests/matcher/devices/selector_cases.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <variant>

#include "matcher/devices/device_selector.h"
#include "tests/support/places.h"
#include "tests/support/script.h"

namespace fluxnetes::matcher {
namespace {

using OutcomeKind = SelectorOutcome::Kind;
using nlohmann::json;

json AttributeJson(const DeviceAttribute& attribute) {
  struct Visitor {
    json operator()(std::int64_t value) const { return {{"int", value}}; }
    json operator()(bool value) const { return {{"bool", value}}; }
    json operator()(const std::string& value) const {
      return {{"string", value}};
    }
    json operator()(const DeviceVersion& value) const {
      return {{"version", value.text}};
    }
  };
  return std::visit(Visitor(), attribute);
}

json CaseJson(const SelectorCase& one) {
  json attributes = json::object();
  for (const auto& [name, attribute] : one.device.attributes) {
    attributes[name] = AttributeJson(attribute);
  }
  json capacity = json::object();
  for (const auto& [name, amount] : one.device.capacity) {
    capacity[name] = ToText(amount);
  }
  return {{"expression", one.expression},
          {"driver", one.driver},
          {"shared", one.device.shared},
          {"attributes", attributes},
          {"capacity", capacity}};
}

DeviceAttribute ReadAttribute(const json& attribute) {
  if (attribute.contains("int")) return attribute["int"].get<std::int64_t>();
  if (attribute.contains("bool")) return attribute["bool"].get<bool>();
  if (attribute.contains("version")) {
    return DeviceVersion{attribute["version"]};
  }
  return attribute.at("string").get<std::string>();
}

std::string CorpusPath() {
  return testing::SourcePath("tests/matcher/devices/selector_corpus.json");
}

json CorpusJson() { return json::parse(std::ifstream(CorpusPath())); }

SelectorOutcome ReadOutcome(const json& result) {
  SelectorOutcome outcome;
  if (result.contains("refused")) {
    outcome.text = result["refused"];
    return outcome;
  }
  outcome.cost = result.value("cost", std::uint64_t{0});
  if (result.contains("error")) {
    outcome.kind = OutcomeKind::kError;
    outcome.text = result["error"];
    return outcome;
  }
  outcome.kind = result.at("matches").get<bool>() ? OutcomeKind::kMatches
                                                  : OutcomeKind::kMatchesNot;
  return outcome;
}

}  // namespace

std::string ToText(const SelectorOutcome& outcome) {
  switch (outcome.kind) {
    case OutcomeKind::kRefused:
      return "refused: " + outcome.text;
    case OutcomeKind::kError:
      return "error: " + outcome.text;
    case OutcomeKind::kMatches:
      return fmt::format("true, cost {}", outcome.cost);
    case OutcomeKind::kMatchesNot:
      break;
  }
  return fmt::format("false, cost {}", outcome.cost);
}

std::string ToShortText(const SelectorOutcome& outcome) {
  if (outcome.kind == OutcomeKind::kRefused) return "refused";
  return outcome.kind == OutcomeKind::kError ? "error" : ToText(outcome);
}

SelectorOutcome Ours(const SelectorCase& selector_case) {
  try {
    const DeviceSelector selector(selector_case.expression);
    auto verdict =
        selector.Evaluate(selector_case.driver, selector_case.device);
    if (!verdict.error.empty()) {
      return {OutcomeKind::kError, std::move(verdict.error), verdict.cost};
    }
    return {verdict.matches ? OutcomeKind::kMatches : OutcomeKind::kMatchesNot,
            {},
            verdict.cost};
  } catch (const SelectorError& error) {
    return {OutcomeKind::kRefused, error.what(), 0};
  }
}

std::optional<std::vector<SelectorOutcome>> OfKubernetes(
    const std::vector<SelectorCase>& cases, std::string& why) {
  const testing::ScriptResult built = testing::TryScript(
      testing::SourcePath("tests/cluster_tools/selectors/build"));
  if (built.status != 0) {
    why = built.said;
    return std::nullopt;
  }
  const std::string program = built.said.substr(built.said.rfind('\n') + 1);
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() /
      fmt::format("fluxnetes-selectors-{}", getpid());
  {
    std::ofstream out(file);
    for (const SelectorCase& one : cases) out << CaseJson(one).dump() << '\n';
  }
  std::istringstream lines(
      testing::RunScript(program + " < " + testing::Quoted(file.string())));
  std::filesystem::remove(file);
  std::vector<SelectorOutcome> outcomes;
  for (std::string line; std::getline(lines, line);) {
    outcomes.push_back(ReadOutcome(json::parse(line)));
  }
  if (outcomes.size() != cases.size()) {
    throw std::runtime_error("the selectors' program lost some");
  }
  return outcomes;
}

std::string Difference(const SelectorOutcome& ours,
                       const SelectorOutcome& theirs) {
  const bool unsupported = ours.kind == OutcomeKind::kRefused &&
                           ours.text.ends_with("not supported");
  if (unsupported) return {};
  const bool evaluated = ours.kind == OutcomeKind::kMatches ||
                         ours.kind == OutcomeKind::kMatchesNot;
  if (ours.kind == theirs.kind && (!evaluated || ours.cost == theirs.cost)) {
    return {};
  }
  return "ours: " + ToText(ours) + "\nKubernetes: " + ToText(theirs);
}

SelectorCorpus ReadSelectorCorpus() {
  const json file = CorpusJson();
  SelectorCorpus corpus;
  for (const auto& [name, given] : file.at("devices").items()) {
    SelectorCase one{{}, given.at("driver"), {.name = name}};
    one.device.shared = given.at("shared");
    for (const auto& [full, attribute] : given.at("attributes").items()) {
      one.device.attributes[full] = ReadAttribute(attribute);
    }
    for (const auto& [full, amount] : given.at("capacity").items()) {
      one.device.capacity[full] = ReadAmount(amount.get<std::string>()).value();
    }
    corpus.devices.push_back(std::move(one));
  }
  for (const json& selector : file.at("selectors")) {
    corpus.selectors.push_back(
        {selector.at("expression"),
         selector.value("outcomes", std::vector<std::string>())});
  }
  return corpus;
}

void RecordSelectorCorpus(const SelectorCorpus& corpus) {
  json file = CorpusJson();
  json selectors = json::array();
  for (const SelectorCorpus::Selector& selector : corpus.selectors) {
    selectors.push_back(
        {{"expression", selector.expression}, {"outcomes", selector.outcomes}});
  }
  file["selectors"] = selectors;
  std::ofstream(CorpusPath()) << file.dump(1) << '\n';
}

}  // namespace fluxnetes::matcher

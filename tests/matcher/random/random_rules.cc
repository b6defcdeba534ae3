#include "tests/matcher/random/random_rules.h"

namespace fluxnetes::matcher {

std::string RandomRules::PickKey() {
  constexpr const char* kKeys[] = {"zone", "zone", "rack",
                                   "host", "disk", "nowhere"};
  return kKeys[Chance(3) ? 5 : Pick(0, 4)];
}

Labels RandomRules::PickLabels(const std::string& node_name) {
  Labels labels;
  if (Chance(85)) labels["zone"] = Chance(50) ? "a" : Chance(70) ? "b" : "c";
  if (Chance(80)) labels["rack"] = "r" + std::to_string(Pick(1, 4));
  if (Chance(90)) labels["host"] = node_name;
  if (Chance(50)) labels["disk"] = std::to_string(Pick(1, 3));
  return labels;
}

std::vector<Taint> RandomRules::PickTaints() {
  std::vector<Taint> taints;
  for (int i = Chance(75) ? 0 : Pick(1, 2); i > 0; --i) {
    taints.push_back({Chance(70) ? "gpu" : "old", Chance(50) ? "yes" : "",
                      static_cast<TaintEffect>(Pick(0, 2))});
  }
  return taints;
}

LabelRequirement RandomRules::PickRequirement() {
  LabelRequirement requirement;
  requirement.op = static_cast<LabelRequirement::Op>(Pick(0, 5));
  requirement.key = Chance(50) ? "disk" : PickKey();
  if (Chance(10)) {
    requirement.field = true;
    requirement.key = Chance(90) ? "metadata.name" : "metadata.uid";
    requirement.values = {"n" + std::to_string(Pick(0, 4))};
    return requirement;
  }
  for (int i = Pick(1, 2); i > 0; --i) {
    requirement.values.push_back(
        requirement.key == "zone"   ? (Chance(50) ? "a" : "b")
        : requirement.key == "rack" ? "r" + std::to_string(Pick(1, 4))
                                    : std::to_string(Pick(0, 3)));
  }
  const bool compares = requirement.op == LabelRequirement::Op::kGt ||
                        requirement.op == LabelRequirement::Op::kLt;
  if (compares && Chance(90)) requirement.values.resize(1);
  return requirement;
}

LabelTerm RandomRules::PickTerm() {
  LabelTerm term;
  for (int i = Chance(5) ? 0 : Pick(1, 2); i > 0; --i) {
    term.push_back(PickRequirement());
  }
  return term;
}

NodeRules RandomRules::PickNodeRules() {
  NodeRules rules;
  if (Chance(15)) rules.selector["disk"] = std::to_string(Pick(1, 3));
  if (Chance(25)) rules.affinity.push_back(PickTerm());
  if (!rules.affinity.empty() && Chance(60)) {
    rules.affinity.push_back(PickTerm());
  }
  for (int i = Chance(60) ? 0 : Pick(1, 3); i > 0; --i) {
    rules.preferred.push_back({Pick(1, 100), PickTerm()});
  }
  for (int i = Chance(50) ? 0 : Pick(1, 2); i > 0; --i) {
    Toleration toleration{Chance(20)   ? ""
                          : Chance(70) ? "gpu"
                                       : "old",
                          Chance(50), Chance(50) ? "yes" : "", std::nullopt};
    if (Chance(60)) toleration.effect = static_cast<TaintEffect>(Pick(0, 2));
    if (toleration.key.empty()) toleration.exists = true;
    rules.tolerations.push_back(toleration);
  }
  return rules;
}

TaskSelector RandomRules::PickSelector() {
  TaskSelector selector;
  if (Chance(85)) selector.namespaces.push_back(Chance(85) ? "x" : "y");
  if (Chance(10)) selector.namespaces.push_back("y");
  const auto op = Chance(70) ? LabelRequirement::Op::kIn
                             : static_cast<LabelRequirement::Op>(Pick(0, 3));
  selector.labels.push_back({"app", op, {Chance(50) ? "web" : "db"}, false});
  if (Chance(15)) {
    selector.labels.push_back(
        {"tier", LabelRequirement::Op::kExists, {}, false});
  }
  if (Chance(4)) selector.labels.clear();
  return selector;
}

SpreadConstraint RandomRules::PickSpread() {
  SpreadConstraint spread;
  spread.topology_key = PickKey();
  spread.selector = PickSelector().labels;
  spread.max_skew = Pick(1, 2);
  spread.required = Chance(65);
  spread.min_domains = Chance(80) ? 1 : Pick(2, 4);
  spread.honor_affinity = Chance(70);
  spread.honor_taints = Chance(30);
  return spread;
}

TaskRules RandomRules::PickRules() {
  TaskRules rules;
  rules.node = PickNodeRules();
  rules.namespace_name = Chance(85) ? "x" : "y";
  rules.labels["app"] = Chance(50) ? "web" : "db";
  if (Chance(30)) rules.labels["tier"] = "front";
  if (Chance(25)) rules.affinity.push_back(PickAffinity());
  if (!rules.affinity.empty() && Chance(25)) {
    rules.affinity.push_back(PickAffinity());
  }
  if (Chance(30)) rules.anti_affinity.push_back(PickAffinity());
  for (int i = Chance(70) ? 0 : Chance(90) ? Pick(1, 2) : 6; i > 0; --i) {
    rules.preferred.push_back({Pick(-50, 50), PickAffinity()});
  }
  for (int i = Chance(65) ? 0 : Pick(1, 2); i > 0; --i) {
    rules.spread.push_back(PickSpread());
  }
  if (Chance(20)) {
    rules.host_ports.push_back({Chance(80) ? "TCP" : "UDP",
                                Chance(60)   ? ""
                                : Chance(50) ? "10.0.0.1"
                                             : "10.0.0.2",
                                Pick(80, 81)});
  }
  return rules;
}

}  // namespace fluxnetes::matcher

#include "cluster/files/selector_check.h"

#include <array>
#include <nlohmann/json.hpp>
#include <span>

#include "cluster/files/field_check.h"
#include "cluster/files/field_rules.h"
#include "cluster/text/json_field.h"
#include "cluster/text/quote.h"

namespace fluxnetes::cluster {
namespace {

using Json = nlohmann::json;
using Kind = FieldRule::Kind;
using Complaint = std::optional<std::string>;

constexpr std::array kSelector = {
    FieldRule{"matchLabels", Kind::kLabels},
    FieldRule{"matchExpressions", Kind::kList},
    FieldRule{"matchExpressions[].key", Kind::kQualifiedName, true},
    FieldRule{"matchExpressions[].operator", Kind::kChoice, true,
              "In NotIn Exists DoesNotExist"},
    FieldRule{"matchExpressions[].values", Kind::kTexts}};

constexpr std::array kNodeTerm = {
    FieldRule{"matchExpressions", Kind::kList},
    FieldRule{"matchExpressions[].key", Kind::kQualifiedName, true},
    FieldRule{"matchExpressions[].operator", Kind::kChoice, true,
              "In NotIn Exists DoesNotExist Gt Lt"},
    FieldRule{"matchExpressions[].values", Kind::kTexts},
    FieldRule{"matchFields", Kind::kList},
    FieldRule{"matchFields[].key", Kind::kChoice, true, "metadata.name"},
    FieldRule{"matchFields[].operator", Kind::kChoice, true, "In NotIn"},
    FieldRule{"matchFields[].values", Kind::kTexts, true}};

bool TakesValues(const std::string& op) { return op == "In" || op == "NotIn"; }

// Checks that the operator has as many values as it takes.
Complaint CheckValues(const Json& requirement, const std::string& path) {
  const std::string op = Text(requirement, "operator");
  const std::size_t count = List(At(requirement, "values")).size();
  const std::string own = path + ".values";
  if (TakesValues(op)) {
    if (count > 0) return std::nullopt;
    return own + " is missing; operator: " + op + " needs values";
  }
  if (op == "Gt" || op == "Lt") {
    if (count == 1) return std::nullopt;
    return own + " has " + std::to_string(count) + " values; operator: " + op +
           " needs one";
  }
  if (count == 0) return std::nullopt;
  return own + " is there; operator: " + op + " has none";
}

Complaint CheckLabelValues(const Json& requirement, const std::string& path) {
  for (const std::string& text : Texts(At(requirement, "values"))) {
    if (IsLabelValue(text)) continue;
    return path + ".values has " + Quote(text) +
           "; a label's value is at most 63 letters, digits and -_. between, "
           "or empty";
  }
  return std::nullopt;
}

template <typename Check>
Complaint OfRequirements(const Json& owner, const char* key,
                         const std::string& path, const Check& check) {
  const auto& all = List(At(owner, key));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string own = path + "." + key + "[" + std::to_string(i) + "]";
    if (auto complaint = check(all[i], own)) return complaint;
  }
  return std::nullopt;
}

}  // namespace

Complaint WhatIsWrongWithSelector(const Json& selector,
                                  const std::string& path) {
  if (selector.is_null()) return std::nullopt;
  if (auto complaint = WhatIsWrong(selector, kSelector, path)) return complaint;
  return OfRequirements(selector, "matchExpressions", path,
                        [](const Json& each, const std::string& own) {
                          const auto complaint = CheckValues(each, own);
                          return complaint ? complaint
                                           : CheckLabelValues(each, own);
                        });
}

Complaint WhatIsWrongWithNodeTerm(const Json& term, const std::string& path) {
  if (auto complaint = WhatIsWrong(term, kNodeTerm, path)) return complaint;
  if (auto complaint =
          OfRequirements(term, "matchExpressions", path, CheckValues)) {
    return complaint;
  }
  return OfRequirements(
      term, "matchFields", path,
      [](const Json& each, const std::string& own) -> Complaint {
        const auto values = Texts(At(each, "values"));
        if (values.size() != 1) {
          return own + ".values has " + std::to_string(values.size()) +
                 " values; matchFields needs one";
        }
        if (IsSubdomain(values[0])) return std::nullopt;
        return own + ".values has " + Quote(values[0]) +
               "; it must be the name of a node";
      });
}

}  // namespace fluxnetes::cluster

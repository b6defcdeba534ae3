#include "cluster/files/field_check.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "cluster/json/objects.h"
#include "cluster/text/quantity.h"
#include "cluster/text/quote.h"

namespace fluxnetes::cluster {
namespace {

using Json = nlohmann::json;
using Kind = FieldRule::Kind;
using Complaint = std::optional<std::string>;

constexpr std::size_t kMostAnnotations = 256 * 1024;  // bytes in total

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsAlphanumeric(char c) {
  return IsLower(c) || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}
bool IsLowerOrDigit(char c) { return IsLower(c) || (c >= '0' && c <= '9'); }

// Begins and ends with an alphanumeric character; -, _ and . may be between.
bool IsNamePart(std::string_view text) {
  return text.size() <= 63 && !text.empty() && IsAlphanumeric(text.front()) &&
         IsAlphanumeric(text.back()) && std::ranges::all_of(text, [](char c) {
           return IsAlphanumeric(c) || c == '-' || c == '_' || c == '.';
         });
}

std::string Shown(const Json& value) {
  if (value.is_string()) return Quote(value.get_ref<const std::string&>());
  if (value.is_object()) return "a mapping";
  if (value.is_array()) return "a list";
  return value.dump();
}

Complaint Unless(bool right, const Json& value, const std::string& wanted) {
  if (right) return std::nullopt;
  return " is " + Shown(value) + "; it must be " + wanted;
}

Complaint CheckText(const Json& value, bool (*holds)(std::string_view),
                    const char* wanted) {
  return Unless(value.is_string() && holds(value.get_ref<const std::string&>()),
                value, wanted);
}

Complaint CheckInteger(const Json& value, std::int64_t least,
                       std::int64_t most) {
  const bool right =
      value.is_number_integer() &&
      (!value.is_number_unsigned() ||
       value.get<std::uint64_t>() <= static_cast<std::uint64_t>(most)) &&
      value.get<std::int64_t>() >= least && value.get<std::int64_t>() <= most;
  return Unless(right, value,
                "a whole number from " + std::to_string(least) + " to " +
                    std::to_string(most));
}

// An API server takes null for an empty text in lists and mappings.
bool IsText(const Json& value) { return value.is_string() || value.is_null(); }

Complaint CheckTexts(const Json& value) {
  if (!value.is_array()) return Unless(false, value, "a list of texts");
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (IsText(value[i])) continue;
    return "[" + std::to_string(i) + "] is " + Shown(value[i]) +
           "; it must be text, in quotes if need be";
  }
  return std::nullopt;
}

std::string Lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

Complaint WrongQualifiedName(const std::string& name) {
  return " has the name " + Quote(name) +
         "; a name is at most 63 letters, digits and -_. between, with "
         "DOMAIN/ before it or not";
}

// Of an annotation, the domain may have capital letters too.
Complaint CheckAnnotations(const Json& value) {
  if (!value.is_object()) return Unless(false, value, "a mapping");
  std::size_t bytes = 0;
  for (const auto& [name, text] : value.items()) {
    if (!IsQualifiedName(Lower(name))) return WrongQualifiedName(name);
    if (!IsText(text)) {
      return "[" + Quote(name) + "] is " + Shown(text) +
             "; it must be text, in quotes if need be";
    }
    bytes += name.size() +
             (text.is_null() ? 0 : text.get_ref<const std::string&>().size());
  }
  if (bytes <= kMostAnnotations) return std::nullopt;
  return " has " + std::to_string(bytes) + " bytes; it may have " +
         std::to_string(kMostAnnotations);
}

Complaint CheckLabels(const Json& value) {
  if (!value.is_object()) return Unless(false, value, "a mapping");
  for (const auto& [name, text] : value.items()) {
    if (!IsQualifiedName(name)) return WrongQualifiedName(name);
    if (!IsText(text)) {
      return "[" + Quote(name) + "] is " + Shown(text) +
             "; it must be text, in quotes if need be";
    }
    if (!text.is_null() && !IsLabelValue(text.get_ref<const std::string&>())) {
      return "[" + Quote(name) + "] is " + Shown(text) +
             "; a label's value is at most 63 letters, digits and -_. "
             "between, or empty";
    }
  }
  return std::nullopt;
}

Complaint CheckQuantity(const Json& amount, bool cpu) {
  if (!amount.is_string() && !amount.is_number()) {
    return " is " + Shown(amount) + "; it must be a quantity like 2, 250m, 4Gi";
  }
  const std::string text =
      amount.is_string() ? amount.get<std::string>() : amount.dump();
  try {
    const std::int64_t value = cpu ? ParseCpuMilli(text) : ParseQuantity(text);
    if (value <= kLargestAmount) return std::nullopt;
    return ": quantity " + Quote(text) + " is more than any node has";
  } catch (const std::invalid_argument& error) {
    return std::string(": ") + error.what();
  }
}

Complaint CheckQuantities(const Json& value) {
  if (!value.is_object()) return Unless(false, value, "a mapping");
  for (const auto& [name, amount] : value.items()) {
    if (!IsQualifiedName(name)) {
      return " has the name " + Quote(name) +
             "; it must name a resource, like cpu or nvidia.com/gpu";
    }
    if (const auto complaint = CheckQuantity(amount, name == "cpu")) {
      return "[" + Quote(name) + "]" + *complaint;
    }
  }
  return std::nullopt;
}

Complaint CheckChoice(const Json& value, const char* choices) {
  std::istringstream list(choices);
  std::string wanted;
  for (std::string choice; list >> choice;) {
    if (value.is_string() && value == choice) return std::nullopt;
    wanted += (wanted.empty() ? "" : " or ") + choice;
  }
  return Unless(false, value, wanted);
}

}  // namespace

bool IsLabelName(std::string_view text) {
  return !text.empty() && text.size() <= 63 && IsLowerOrDigit(text.front()) &&
         IsLowerOrDigit(text.back()) && std::ranges::all_of(text, [](char c) {
           return IsLowerOrDigit(c) || c == '-';
         });
}

bool IsSubdomain(std::string_view text) {
  if (text.size() > 253) return false;
  while (true) {
    const auto dot = text.find('.');
    const std::string_view part = text.substr(0, dot);
    if (part.empty() || !IsLowerOrDigit(part.front()) ||
        !IsLowerOrDigit(part.back()) || !std::ranges::all_of(part, [](char c) {
          return IsLowerOrDigit(c) || c == '-';
        })) {
      return false;
    }
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

bool IsQualifiedName(std::string_view text) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return IsNamePart(text);
  return IsSubdomain(text.substr(0, slash)) &&
         IsNamePart(text.substr(slash + 1));
}

bool IsLabelValue(std::string_view text) {
  return text.empty() || IsNamePart(text);
}

Complaint WhyWrong(const Json& value, const FieldRule& rule) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  switch (rule.kind) {
    case Kind::kObject:
      return Unless(value.is_object(), value, "a mapping");
    case Kind::kList:
      return Unless(value.is_array(), value, "a list");
    case Kind::kNonEmptyList:
      if (value.is_array() && value.empty()) return " is empty";
      return Unless(value.is_array(), value, "a list");
    case Kind::kText:
      return Unless(value.is_string(), value, "text, in quotes if need be");
    case Kind::kNonEmptyText:
      if (value.is_string() && value.get_ref<const std::string&>().empty())
        return " is empty";
      return Unless(value.is_string(), value, "text, in quotes if need be");
    case Kind::kTexts:
      return CheckTexts(value);
    case Kind::kAnnotations:
      return CheckAnnotations(value);
    case Kind::kFlag:
      return Unless(value.is_boolean(), value, "true or false");
    case Kind::kInteger:
      return CheckInteger(value, -kMost - 1, kMost);
    case Kind::kCount:
      return CheckInteger(value, 0, kMost);
    case Kind::kPositive:
      return CheckInteger(value, 1, kMost);
    case Kind::kUpTo100000:
      return CheckInteger(value, 0, 100'000);
    case Kind::kPort:
      return CheckInteger(value, 1, 65'535);
    case Kind::kHostPort:
      return CheckInteger(value, 0, 65'535);
    case Kind::kLabel:
      return CheckText(value, IsLabelName,
                       "at most 63 of a-z, 0-9 and, between, -");
    case Kind::kSubdomain:
      return CheckText(value, IsSubdomain,
                       "at most 253 of a-z, 0-9 and, between, - and .");
    case Kind::kLabels:
      return CheckLabels(value);
    case Kind::kQualifiedName:
      return CheckText(value, IsQualifiedName,
                       "at most 63 letters, digits and, between, -_., with "
                       "DOMAIN/ before it or not");
    case Kind::kLabelValue:
      return CheckText(value, IsLabelValue,
                       "at most 63 letters, digits and, between, -_.");
    case Kind::kQuantity:
      return CheckQuantity(value, false);
    case Kind::kQuantities:
      return CheckQuantities(value);
    case Kind::kChoice:
      return CheckChoice(value, rule.choices);
  }
  return std::nullopt;
}

}  // namespace fluxnetes::cluster

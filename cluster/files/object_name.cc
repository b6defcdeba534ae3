#include "cluster/files/object_name.h"

#include <nlohmann/json.hpp>

#include "cluster/files/field_check.h"
#include "cluster/text/json_field.h"
#include "cluster/text/quote.h"

namespace fluxnetes::cluster {
namespace {

using Json = nlohmann::json;
using Complaint = std::optional<std::string>;

// Without vowels and ambiguous characters, as in Kubernetes.
constexpr std::string_view kSuffixLetters = "bcdfghjklmnpqrstvwxz2456789";
constexpr std::size_t kSuffixLength = 5;
constexpr std::size_t kLongestLabel = 63;

bool IsEmptyName(const Json& name) {
  return name.is_string() && name.get_ref<const std::string&>().empty();
}

Complaint WrongName(const char* field, const Json& value,
                    const std::string& wanted) {
  const std::string shown = value.is_string()
                                ? Quote(value.get_ref<const std::string&>())
                                : value.dump();
  return "metadata." + std::string(field) + " is " + shown + "; it must be " +
         wanted;
}

// The name, or one that the prefix may give.
std::string NameIn(const Json& metadata) {
  const std::string name = Text(metadata, "name");
  return name.empty() ? GeneratedName(Text(metadata, "generateName"), 0) : name;
}

}  // namespace

Complaint WhatIsWrongWithName(const Json& object) {
  constexpr const char* kRight =
      "at most 253 of a-z, 0-9 and, between, - and .";
  const Json& metadata = At(object, "metadata");
  if (metadata.is_null()) return "metadata is missing";
  if (!metadata.is_object()) return "metadata must be a mapping";
  const Json& name = At(metadata, "name");
  const Json& prefix = At(metadata, "generateName");
  if (!prefix.is_null() && !IsEmptyName(prefix)) {
    std::string masked = Text(metadata, "generateName");
    if (masked.size() > 1 && masked.back() == '-') masked.back() = 'a';
    if (!IsSubdomain(masked)) return WrongName("generateName", prefix, kRight);
  }
  if (name.is_null() || IsEmptyName(name)) {
    if (Text(metadata, "generateName").empty()) {
      return "metadata.name is missing; give it or metadata.generateName";
    }
    return std::nullopt;
  }
  if (name.is_string() && IsSubdomain(name.get_ref<const std::string&>())) {
    return std::nullopt;
  }
  return WrongName("name", name, kRight);
}

Complaint WhatIsWrongWithJobName(const Json& object) {
  const Json& metadata = At(object, "metadata");
  const Json& spec = At(object, "spec");
  const std::string name = NameIn(metadata);
  const char* const field =
      Text(metadata, "name").empty() ? "generateName" : "name";
  if (name.size() > kLongestLabel && !Flag(spec, "manualSelector")) {
    return WrongName(field, At(metadata, field),
                     "at most 63 characters, because it is a label of the pods "
                     "of the Job");
  }
  const Json one = 1;
  const Json& given = At(spec, "completions");
  const Json& completions = given.is_null() ? one : given;
  if (Text(spec, "completionMode") != "Indexed" ||
      !completions.is_number_integer() || completions < 1) {
    return std::nullopt;
  }
  const std::string last =
      name + "-" + std::to_string(completions.get<std::int64_t>() - 1);
  if (IsLabelName(last)) return std::nullopt;
  return WrongName(field, At(metadata, field),
                   "shorter and without dots: the last pod of the Indexed Job "
                   "would have the host name " +
                       Quote(last) +
                       ", and a host name is at most 63 of a-z, "
                       "0-9 and, between, -");
}

std::string GeneratedName(std::string_view prefix, std::uint64_t number) {
  std::string name(prefix.substr(0, kLongestLabel - kSuffixLength));
  for (std::size_t i = 0; i < kSuffixLength; ++i) {
    name += kSuffixLetters[number % kSuffixLetters.size()];
    number /= kSuffixLetters.size();
  }
  return name;
}

}  // namespace fluxnetes::cluster

#include "services/editing/account_settings.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "cluster/files/field_check.h"
#include "services/editing/row_settings.h"

namespace fluxnetes::services {
namespace {

using nlohmann::json;

constexpr RowSetting kAccountSettings[] = {
    {"parent", "the name of an account; alone: none"},
    {"label", "what a label of pods may be (fluxnetes.account); alone: any"},
    {"namespace", "a namespace; alone: any"},
    {"queue", "a scheduling queue; alone: any"},
    {"weight", "a number above 0 and up to 1000000000"},
    {"quota",
     "amounts like cpu=40,memory=100Gi,nvidia.com/gpu=8, each once; alone: no "
     "limit"},
    {"borrows", "true or false"}};

std::optional<json> ParseAccountSetting(std::string_view key,
                                        const std::string& text) {
  if (key == "weight") return ParseNumber(text);
  if (key == "quota") return ParsePairs(text);
  if (key == "borrows") return ParseSwitch(text);
  if (text.empty()) return json();
  if ((key == "namespace" || key == "queue") && !cluster::IsLabelName(text))
    return std::nullopt;
  return json(text);  // a name
}

}  // namespace

std::string ParseAccountSettings(const std::vector<std::string>& settings) {
  return ParseRowSettings({"an account", kAccountSettings, ParseAccountSetting},
                          settings);
}

std::string_view RightAccountSetting(std::string_view key) {
  return std::ranges::find(kAccountSettings, key, &RowSetting::key)->right;
}

}  // namespace fluxnetes::services

// For any bytes ReadPodJobspec() returns a split jobspec or a reason, each of
// which can be stored: a text without control characters, and JSON whose
// resources are a jobspec again.
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "cluster/text/utf8.h"
#include "matcher/jobspec/jobspec.h"
#include "workers/jobspecs/pod_jobspec.h"

using namespace fluxnetes;

namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

void CheckText(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = cluster::Utf8Length(text);
    Require(length > 0 && static_cast<unsigned char>(text[0]) >= ' ');
    text.remove_prefix(length);
  }
}

void CheckResult(const workers::PodJobspec& read) {
  CheckText(read.refused);
  if (!read.refused.empty() || read.inside.empty()) return;
  CheckText(read.inside);
  const std::string whole = R"({"version":1,"resources":)" + read.inside +
                            R"(,"tasks":[],"attributes":null})";
  Require(matcher::ParseJobspec(whole).top > 0);
  for (const auto& term : read.nodes) {
    for (const auto& each : term) {
      CheckText(each.key);
      for (const std::string& value : each.values) CheckText(value);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  cluster::Resources resources;
  resources.cpu_milli = 8000;
  CheckResult(workers::ReadPodJobspec(
      text, {.group_size = 8, .max_size = {}, .resources = resources}));
  for (const auto& each : workers::ReadAlternatives(text, {})) {
    CheckResult(each);
    if (!each.refused.empty()) continue;
    // The amounts that a jobspec says are those that it accepts.
    const auto again = workers::ReadPodJobspec(
        text,
        {.group_size = each.pods, .max_size = {}, .resources = each.resources});
    Require(again.refused.empty());
  }
  workers::PodsIn(text);
  return 0;
}

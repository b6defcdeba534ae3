#include "cluster/json/controller_json.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "cluster/json/objects.h"
#include "cluster/json/request_decoder.h"

namespace fluxnetes::cluster {
namespace {

using Life = ControllerState::Life;

int PodCount(const EncodedValue& object, const char* key) {
  return std::max(0, DecodeInteger32(object, key).value_or(0));
}

std::optional<int> Number(std::string_view text) {
  int number = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end || number < 0)
    return std::nullopt;
  return number;
}

// (batch/v1, JobConditionType.) A Job whose end is certain has a condition of
// its own, before its last pods have ended.
void DecodeEnd(const EncodedValue& status, ControllerState& state) {
  for (const EncodedValue& condition : List(At(status, "conditions"))) {
    if (Text(condition, "status") != "True") continue;
    const std::string type = Text(condition, "type");
    if (type == "Complete" || type == "SuccessCriteriaMet") {
      state.life = Life::kComplete;
    } else if (type == "Failed" || type == "FailureTarget") {
      state.life = Life::kFailed;
      state.reason = Text(condition, "reason");
    }
  }
}

void DecodeJobState(const EncodedValue& spec, const EncodedValue& status,
                    ControllerState& state) {
  state.job = true;
  state.life = Life::kLives;
  state.at_once = std::max(0, DecodeInteger32(spec, "parallelism").value_or(1));
  state.completions = DecodeInteger32(spec, "completions");
  state.succeeded = std::max(PodCount(status, "succeeded"),
                             CountIndexes(Text(status, "completedIndexes")));
  state.failed = PodCount(status, "failed");
  state.active = PodCount(status, "active");
  state.failed_indexes = CountIndexes(Text(status, "failedIndexes"));
  state.backoff_limit =
      DecodeInteger32(spec, "backoffLimit").value_or(state.backoff_limit);
  state.suspended = Flag(spec, "suspend");
  DecodeEnd(status, state);
}

}  // namespace

int CountIndexes(std::string_view indexes) {
  int count = 0;
  while (!indexes.empty()) {
    const std::size_t comma = std::min(indexes.find(','), indexes.size());
    const std::string_view part = indexes.substr(0, comma);
    indexes.remove_prefix(std::min(comma + 1, indexes.size()));
    const std::size_t dash = part.find('-');
    const auto first = Number(part.substr(0, dash));
    const auto last = dash == part.npos ? first : Number(part.substr(dash + 1));
    if (first && last && *first <= *last) count += *last - *first + 1;
  }
  return count;
}

ControllerState DecodeControllerState(const std::string& kind,
                                      const EncodedValue& object) {
  ControllerState state;
  if (!MakesPods(kind)) return state;
  const EncodedValue metadata = At(object, "metadata");
  const EncodedValue spec = At(object, "spec");
  const EncodedValue status = At(object, "status");
  state.controlled = DecodeController(metadata).has_value();
  if (At(metadata, "deletionTimestamp").IsTime()) {
    state.life = Life::kGone;
  } else if (kind == "Job") {
    DecodeJobState(spec, status, state);
  } else {
    const auto pods = kind == "DaemonSet"
                          ? DecodeInteger32(status, "desiredNumberScheduled")
                          : DecodeInteger32(spec, "replicas");
    if (pods) state.life = Life::kLives;
    state.at_once = std::max(0, pods.value_or(0));
  }
  return state;
}

}  // namespace fluxnetes::cluster

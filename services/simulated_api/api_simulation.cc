#include "services/simulated_api/api_simulation.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "cluster/json/object_writer.h"
#include "cluster/text/json_field.h"
#include "cluster/text/json_text.h"
#include "cluster/text/timestamp.h"
#include "services/simulated_api/api_request.h"
#include "services/simulated_api/api_status.h"

namespace fluxnetes::services {

namespace {

using cluster::At;
using cluster::BindFault;
using cluster::Flag;
using cluster::JsonText;
using cluster::Text;
using Json = nlohmann::json;

constexpr std::array<std::pair<std::string_view, BindFault>, 4> kBindFaults = {{
    {"refused", BindFault::kRefused},
    {"conflict", BindFault::kConflict},
    {"unreachable", BindFault::kUnreachable},
    {"answerLost", BindFault::kAnswerLost},
}};

template <typename Number>
Number GetNumber(const Json& object, const char* key, Number otherwise) {
  const Json& value = At(object, key);
  return value.is_number() ? value.get<Number>() : otherwise;
}

ApiFault ReadFault(const Json& json) {
  ApiFault fault;
  fault.status = GetNumber(json, "status", fault.status);
  fault.count = GetNumber(json, "count", fault.count);
  fault.method = Text(json, "method");
  fault.path = Text(json, "path");
  if (At(json, "retryAfter").is_number()) {
    fault.retry_after = std::chrono::seconds(GetNumber(json, "retryAfter", 1));
  }
  return fault;
}

cluster::WatchFaults ReadWatchFaults(const Json& json) {
  cluster::WatchFaults faults;
  faults.delay = std::chrono::milliseconds(GetNumber(json, "delayMillis", 0));
  faults.repeat = GetNumber(json, "repeat", 0.0);
  faults.late = GetNumber(json, "late", 0.0);
  faults.drop = GetNumber(json, "drop", 0.0);
  return faults;
}

}  // namespace

HttpAnswer ApiSimulation::Answer(const HttpQuestion& question,
                                 const std::string& what) {
  if (question.method == "GET") {
    if (what == "truth") return Truth(question);
    if (what == "time") return Time();
    return NoSuchPath();
  }
  if (question.method != "POST") return MethodNotAllowed();
  HttpAnswer refusal;
  const auto body = ParseBody(question, refusal);
  if (!body) return refusal;
  if (what == "time") return SetTime(*body);
  if (what == "faults") return SetFaults(*body);
  if (what == "pods") return EndPod(*body);
  return NoSuchPath();
}

HttpAnswer ApiSimulation::Truth(const HttpQuestion& question) {
  const auto from = question.query.find("bindingsFrom");
  const std::size_t first =
      from == question.query.end() ? 0 : VersionNumber(from->second);
  const auto snapshot = cluster_.TakeSnapshot();
  JsonText json;
  json.Object([&] {
    json.Field("now", cluster::FormatMicroTimestamp(snapshot.now));
    json.Field("resourceVersion", snapshot.resource_version);
    json.List("pods", [&] {
      for (const auto& pod : snapshot.pods) {
        json.Element(cluster::WritePod(*pod));
      }
    });
    json.List("nodes", [&] {
      for (const auto& node : snapshot.nodes) {
        json.Element(cluster::WriteNode(*node));
      }
    });
    json.List("jobs", [&] {
      for (const auto& job : cluster_.Jobs()) {
        json.Element(cluster::WriteJob(job));
      }
    });
    json.List("bindings", [&] {
      for (const auto& binding : cluster_.Bindings(first)) {
        json.Object([&] {
          json.Field("time", cluster::FormatMicroTimestamp(binding.time));
          json.Field("uid", binding.uid);
          json.Field("node", binding.node);
        });
      }
    });
  });
  return services::Answer(200, json.Take());
}

HttpAnswer ApiSimulation::Time() {
  JsonText json;
  json.Object([&] {
    json.Field("now", cluster::FormatMicroTimestamp(cluster_.Now()));
    if (!virtual_time_) return;
    if (const auto next = cluster_.NextEventTime()) {
      json.Field("next", cluster::FormatMicroTimestamp(*next));
    }
  });
  return services::Answer(200, json.Take());
}

HttpAnswer ApiSimulation::SetTime(const Json& body) {
  const auto time = cluster::ParseTimestamp(Text(body, "now"));
  if (!virtual_time_) return BadRequest("the cluster runs in real time");
  if (!time || *time < cluster_.Now()) {
    return BadRequest(
        "now: expected a time, as 2026-01-01T00:00:10Z, that is not past");
  }
  cluster_.AdvanceTo(*time);
  return Time();
}

HttpAnswer ApiSimulation::SetFaults(const Json& body) {
  const Json& bindings = At(body, "bindings");
  const auto kind =
      std::ranges::find(kBindFaults, Text(bindings, "fault"),
                        &std::pair<std::string_view, BindFault>::first);
  if (!bindings.is_null() && kind == kBindFaults.end()) {
    return BadRequest(
        "bindings.fault: expected refused, conflict, unreachable or "
        "answerLost");
  }
  if (Flag(body, "clear")) {
    faults_.Clear();
    cluster_.SetWatchFaults({});
  }
  for (const Json& fault : cluster::List(At(body, "requests"))) {
    faults_.Add(ReadFault(fault));
  }
  if (!bindings.is_null()) {
    cluster_.FailBinds(kind->second, GetNumber(bindings, "count", 1),
                       GetNumber(bindings, "after", 0));
  }
  if (At(body, "watches").is_object()) {
    cluster_.SetWatchFaults(ReadWatchFaults(At(body, "watches")));
  }
  if (Flag(body, "closeWatches")) lists_.CloseWatches();
  if (Flag(body, "dropWatches")) cluster_.DropWatches();
  if (At(body, "reachable").is_boolean()) {
    reachable_ = Flag(body, "reachable");
    cluster_.SetReachable(reachable_);
  }
  return Done(200);
}

HttpAnswer ApiSimulation::EndPod(const Json& body) {
  const std::string name = Text(body, "name");
  const int code = GetNumber(body, "exitCode", 0);
  return cluster_.EndPod(Text(body, "namespace"), name, code)
             ? Done(200)
             : NotFound("pods", name);
}

}  // namespace fluxnetes::services

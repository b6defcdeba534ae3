#include "services/grpc_v1/remote_match.h"

#include <fmt/format.h>

#include <chrono>

#include "fluxnetes/v1/scheduler.pb.h"
#include "services/grpc/grpc_calls.h"
#include "services/match/placement_graph.h"
#include "services/simulate/simulation_snapshot.h"
#include "workers/simulation/jobspec_match.h"

namespace fluxnetes::services {
namespace {

using MatchClock = std::chrono::steady_clock;

constexpr std::chrono::seconds kLongestMatch{30};

v1::MatchState MessageOf(workers::JobspecMatch::State state) {
  using State = workers::JobspecMatch::State;
  switch (state) {
    case State::kNow:
      return v1::MATCH_STATE_NOW;
    case State::kReserved:
      return v1::MATCH_STATE_RESERVED;
    case State::kWaits:
      return v1::MATCH_STATE_WAITS;
    case State::kNever:
      return v1::MATCH_STATE_NEVER;
    case State::kTooLong:
      break;
  }
  return v1::MATCH_STATE_UNKNOWN;
}

workers::JobspecAsk JobspecIn(const v1::MatchRequest& request) {
  if (request.pods() < 0)
    throw GrpcRefusal(
        GrpcCode::kInvalidArgument,
        fmt::format("pods is {}; right would be 0 or more", request.pods()),
        "pods");
  workers::JobspecAsk ask;
  ask.text = request.jobspec();
  if (request.pods() > 0) ask.pods = request.pods();
  ask.queue = request.queue();
  if (!request.namespace_().empty()) ask.namespace_name = request.namespace_();
  return ask;
}

}  // namespace

void MatchFor(const v1::MatchRequest& request, v1::MatchResponse& response,
              sql::Pool& pool, const std::function<bool()>& stop) {
  const workers::JobspecAsk ask = JobspecIn(request);
  const auto now = std::chrono::floor<std::chrono::seconds>(
      std::chrono::system_clock::now());
  const Snapshot snapshot = ReadSnapshot(pool, now.time_since_epoch().count());
  const auto from = MatchClock::now();
  const workers::JobspecMatch match = workers::MatchJobspec(
      snapshot.scenario, ask,
      [&] { return !stop() && MatchClock::now() - from < kLongestMatch; });
  if (!match.refused.empty())
    throw GrpcRefusal(GrpcCode::kInvalidArgument, "jobspec: " + match.refused,
                      "jobspec");
  response.set_state(MessageOf(match.state));
  if (match.start >= 0) response.mutable_starts_at()->set_seconds(match.start);
  response.set_queue(match.queue);
  response.set_pods(match.jobspec.pods);
  for (const auto& pod : match.pods) {
    v1::PodPlace& place = *response.add_places();
    place.set_node(pod.node);
    place.set_inside(pod.parts);
    place.set_resource_set(pod.resource_set);
  }
  if (!match.pods.empty()) response.set_graph_jgf(PlacementGraph(match));
}

}  // namespace fluxnetes::services

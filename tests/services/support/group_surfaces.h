// What each surface of the program says of the groups in a database: the tables
// and documents of commands, views, gRPC, and conditions of pods.
//
// A surface that does not say something of a group leaves it out.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "fluxnetes/v1/scheduler.grpc.pb.h"
#include "tests/services/support/command_run.h"
#include "tests/support/postgres.h"

namespace fluxnetes::services {

struct SaidOfGroup {
  std::optional<std::string> state;
  std::optional<std::string> reason;    // "": none
  std::optional<std::string> start;     // RFC 3339; "": not known
  std::optional<std::string> cell;      // the column START
  std::optional<std::string> position;  // "": none
};

// By "namespace/name".
using Sayings = std::map<std::string, SaidOfGroup>;

// `get groups` as a table, as documents, and as documents of a watch.
Sayings TableOfGet(CommandRun& run);
Sayings DocumentsOfGet(CommandRun& run);
Sayings DocumentsOfWatch(CommandRun& run);
// `describe group` and `explain group` of each of these groups.
Sayings TextsOfDescribe(CommandRun& run, const Sayings& groups);
Sayings DocumentsOfDescribe(CommandRun& run, const Sayings& groups);
using Explanations = std::map<std::string, nlohmann::json>;
Explanations DocumentsOfExplain(CommandRun& run, const Sayings& groups);
Sayings InExplanations(const Explanations& explanations);
// `top groups`, `timeline` with its reservations and forecasts.
Sayings DocumentsOfTop(CommandRun& run);
Sayings DocumentsOfTimeline(CommandRun& run);
// The view `pending` or `running`.
Sayings RowsOf(testing::TestDatabase& database, const std::string& view);
// ListGroups; GetGroup and ExplainGroup of each of these groups; and the groups
// at the beginning of WatchGroups, when `id` is among them.
Sayings ListedByGrpc(v1::Scheduler::Stub& stub);
Sayings GotByGrpc(v1::Scheduler::Stub& stub, const Sayings& groups);
Sayings ExplainedByGrpc(v1::Scheduler::Stub& stub, const Sayings& groups);
Sayings WatchedByGrpc(v1::Scheduler::Stub& stub, std::int64_t id);
// The conditions of pods, once they were told; the reason as in the message.
Sayings ToldToPods(testing::TestDatabase& database, sql::Timestamp now);

}  // namespace fluxnetes::services

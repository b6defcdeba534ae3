#include "services/records/group_document.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <type_traits>

#include "services/console/time_text.h"

namespace fluxnetes::services {
namespace {

using OrderedJson = nlohmann::ordered_json;

template <typename T>
OrderedJson OrNull(const std::optional<T>& value) {
  if constexpr (std::is_same_v<T, sql::Timestamp>)
    return value ? OrderedJson(Rfc3339(*value)) : OrderedJson();
  else
    return value ? OrderedJson(*value) : OrderedJson();
}

bool IsFilling(const GroupRow& g) {
  return g.state == "provisional" || g.state == "refused";
}

}  // namespace

OrderedJson ToJson(const GroupRow& g) {
  return {{"namespace", g.namespace_name},
          {"name", g.name},
          {"id", g.id > 0 ? OrderedJson(g.id) : OrderedJson()},
          {"state", g.state},
          {"phase", OrNull(g.phase)},
          {"shownState", g.shown_state},
          {"result", OrNull(g.result)},
          {"reason", OrNull(g.reason)},
          {"size", g.size > 0 ? OrderedJson(g.size) : OrderedJson()},
          {"arrived", IsFilling(g) ? g.arrived : g.size},
          {"pods",
           {{"waiting", g.waiting},
            {"bound", g.bound},
            {"succeeded", g.succeeded},
            {"failed", g.failed}}},
          {"gang", OrNull(g.gang)},
          {"elastic", g.max_size ? OrderedJson{{"min", g.size},
                                               {"max", *g.max_size},
                                               {"running", g.bound + g.grown}}
                                 : OrderedJson()},
          {"queue", g.queue},
          {"priority", OrNull(g.priority)},
          {"position", OrNull(g.position)},
          {"estimatedStart", OrNull(g.estimated_start)},
          {"estimate", OrNull(g.estimate)},
          {"estimateRestsOn", OrNull(g.rests_on)},
          {"reservation", OrNull(g.reservation)},
          {"reservedNodes", g.reserved_nodes},
          {"nodes", g.nodes},
          {"pools", OrderedJson(g.pools)},
          {"revision", OrNull(g.revision)},
          {"durationSeconds", OrNull(g.duration_seconds)},
          {"deadline", OrNull(g.deadline)},
          {"startAfter", OrNull(g.start_after)},
          {"startBy", OrNull(g.start_by)},
          {"submittedAt", Rfc3339(g.submitted_at)},
          {"promotedAt", OrNull(g.promoted_at)},
          {"allocatedAt", OrNull(g.allocated_at)},
          {"boundAt", OrNull(g.bound_at)},
          {"endedAt", OrNull(g.ended_at)}};
}

}  // namespace fluxnetes::services

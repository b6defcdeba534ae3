#include "services/console/job_document.h"

#include <nlohmann/json.hpp>

#include "services/console/time_text.h"

namespace fluxnetes::services {
namespace {

using OrderedJson = nlohmann::ordered_json;

template <typename T>
OrderedJson ValueOrNull(const std::optional<T>& value) {
  if constexpr (std::is_same_v<T, sql::Timestamp>)
    return value ? OrderedJson(Rfc3339(*value)) : OrderedJson();
  else
    return value ? OrderedJson(*value) : OrderedJson();
}

OrderedJson SecondsJson(const std::optional<queue::Quantiles>& quantiles) {
  if (!quantiles) return {};
  return {{"p50", quantiles->p50.count()}, {"p99", quantiles->p99.count()}};
}

}  // namespace

std::string LastError(const queue::JobRow& job) {
  const OrderedJson errors = OrderedJson::parse(job.errors);
  if (errors.empty()) return "";
  return errors.back().value("message", "");
}

OrderedJson ToJson(const queue::JobRow& job) {
  const std::string error = LastError(job);
  return {{"id", job.id},
          {"kind", job.kind},
          {"queue", job.queue},
          {"state", job.state},
          {"priority", job.priority},
          {"attempt", job.attempt},
          {"maxAttempts", job.max_attempts},
          {"client", ValueOrNull(job.client_id)},
          {"clientName", ValueOrNull(job.client)},
          {"args", OrderedJson::parse(job.args)},
          {"error", error.empty() ? OrderedJson() : OrderedJson(error)},
          {"errors", OrderedJson::parse(job.errors)},
          {"tags", job.tags},
          {"metadata", OrderedJson::parse(job.metadata)},
          {"createdAt", Rfc3339(job.created_at)},
          {"scheduledAt", Rfc3339(job.scheduled_at)},
          {"attemptedAt", ValueOrNull(job.attempted_at)},
          {"finalizedAt", ValueOrNull(job.finalized_at)},
          {"cancelRequestedAt", ValueOrNull(job.cancel_requested_at)}};
}

OrderedJson ToJson(const queue::QueueStats& stats) {
  OrderedJson oldest;
  if (stats.oldest_available) oldest = stats.oldest_available->count();
  return {{"queue", stats.queue},
          {"paused", stats.paused},
          {"available", stats.available},
          {"scheduled", stats.scheduled},
          {"retryable", stats.retryable},
          {"pending", stats.pending},
          {"running", stats.running},
          {"oldestAvailableSeconds", oldest},
          {"completed", stats.completed},
          {"cancelled", stats.cancelled},
          {"discarded", stats.discarded},
          {"perSecond", stats.per_second},
          {"waitSeconds", SecondsJson(stats.wait)},
          {"runSeconds", SecondsJson(stats.run)}};
}

}  // namespace fluxnetes::services

#include "services/monitoring/span_exporter.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace fluxnetes::services {
namespace {

using OtlpJson = nlohmann::ordered_json;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::size_t kMostWaiting = 10'000;
constexpr std::size_t kBatch = 512;
constexpr milliseconds kFarewell{2'000};  // for what waits at the end
constexpr int kInternal = 1;              // SPAN_KIND_INTERNAL

OtlpJson Attribute(std::string_view key, const std::string& value) {
  return {{"key", key}, {"value", {{"stringValue", value}}}};
}

std::string NanosOf(sql::Timestamp time) {
  return std::to_string(std::chrono::duration_cast<std::chrono::nanoseconds>(
                            time.time_since_epoch())
                            .count());
}

OtlpJson ToOtlp(const TraceSpan& span) {
  OtlpJson attributes = OtlpJson::array();
  for (const auto& [key, value] : span.attributes)
    attributes.push_back(Attribute(key, value));
  return {{"traceId", span.trace_id},
          {"spanId", span.span_id},
          {"parentSpanId", span.parent_id},
          {"name", span.name},
          {"kind", kInternal},
          {"startTimeUnixNano", NanosOf(span.begin)},
          {"endTimeUnixNano", NanosOf(span.end)},
          {"attributes", std::move(attributes)}};
}

cluster::HttpOptions ClientFor(const SpanExporter::Options& options) {
  cluster::HttpOptions http;
  http.address = options.endpoint;
  http.connections = 1;
  return http;
}

std::string WhyRefused(const cluster::HttpResponse& answer) {
  if (answer.status == 0) return answer.error;
  constexpr std::size_t kShown = 200;
  return fmt::format("it answers {}: {}", answer.status,
                     answer.body.substr(0, kShown));
}

}  // namespace

std::string WriteOtlp(std::span<const TraceSpan> spans,
                      const std::string& instance, const std::string& version) {
  OtlpJson list = OtlpJson::array();
  for (const TraceSpan& span : spans) list.push_back(ToOtlp(span));
  const OtlpJson resource = {
      {"attributes",
       OtlpJson::array({Attribute("service.name", "fluxnetes"),
                        Attribute("service.instance.id", instance),
                        Attribute("service.version", version)})}};
  const OtlpJson scope = {{"name", "fluxnetes"}, {"version", version}};
  const OtlpJson of_scope = {{"scope", scope}, {"spans", std::move(list)}};
  const OtlpJson of_resource = {{"resource", resource},
                                {"scopeSpans", OtlpJson::array({of_scope})}};
  return OtlpJson{{"resourceSpans", OtlpJson::array({of_resource})}}.dump(
      -1, ' ', false, OtlpJson::error_handler_t::replace);
}

SpanExporter::SpanExporter(Options options)
    : options_(std::move(options)),
      client_(ClientFor(options_)),
      thread_([this] { Run(); }) {}

SpanExporter::~SpanExporter() {
  {
    const sql::MutexLock lock(mutex_);
    stop_by_ = steady_clock::now() + kFarewell;
  }
  changed_.NotifyAll();
  thread_.join();
}

void SpanExporter::Add(std::span<const TraceSpan> spans) {
  const sql::MutexLock lock(mutex_);
  const std::size_t room = kMostWaiting - waiting_.size();
  const std::size_t taken = std::min(room, spans.size());
  waiting_.insert(waiting_.end(), spans.begin(),
                  spans.begin() + static_cast<std::ptrdiff_t>(taken));
  dropped_ += static_cast<std::int64_t>(spans.size() - taken);
  if (waiting_.size() >= kBatch) changed_.NotifyOne();
}

std::int64_t SpanExporter::dropped() const {
  const sql::MutexLock lock(mutex_);
  return dropped_;
}

void SpanExporter::Run() {
  std::vector<TraceSpan> batch;
  for (bool stopping = false; !stopping;) {
    const auto next = steady_clock::now() + options_.interval;
    {
      sql::MutexLock lock(mutex_);
      while (!stop_by_ && waiting_.size() < kBatch &&
             changed_.WaitUntil(mutex_, next)) {
      }
      stopping = stop_by_.has_value();
      batch = std::exchange(waiting_, {});
    }
    for (std::size_t i = 0; i < batch.size(); i += kBatch) {
      const auto begin = batch.begin() + static_cast<std::ptrdiff_t>(i);
      const auto count = std::min(kBatch, batch.size() - i);
      Send({begin, begin + static_cast<std::ptrdiff_t>(count)});
    }
  }
}

milliseconds SpanExporter::TimeForABatch() const {
  const sql::MutexLock lock(mutex_);
  if (!stop_by_) return options_.deadline;
  const auto left =
      std::chrono::ceil<milliseconds>(*stop_by_ - steady_clock::now());
  return std::clamp(left, milliseconds{1}, options_.deadline);
}

void SpanExporter::Send(const std::vector<TraceSpan>& batch) {
  const milliseconds deadline = TimeForABatch();
  const cluster::HttpResponse answer = client_.Send(
      {.method = "POST",
       .path = "/v1/traces",
       .body = WriteOtlp(batch, options_.instance, options_.version),
       .attempt_timeout = deadline,
       .deadline = deadline});
  const bool taken = answer.Succeeded();
  if (!taken) {
    const sql::MutexLock lock(mutex_);
    dropped_ += std::ssize(batch);
  }
  if (std::exchange(in_trouble_, !taken) == taken && options_.on_trouble)
    options_.on_trouble(taken ? "" : WhyRefused(answer));
}

}  // namespace fluxnetes::services

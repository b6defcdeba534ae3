#include "services/grpc_v1/timeline_messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "fluxnetes/v1/scheduler.pb.h"
#include "services/explain/timeline.h"
#include "services/feed/group_messages.h"
#include "services/feed/group_requests.h"
#include "services/grpc/grpc_calls.h"

namespace fluxnetes::services {
namespace {

using SpanPlace = TimelineFilter::Place;

constexpr std::int64_t kLongestAhead = std::int64_t{10} * 366 * 86'400;
// The end of the year 9999.
constexpr std::int64_t kLastMicrosecond = 253'402'300'799'999'999;
// The size limit of a page, by its nodes; clients accept 4 MiB by default.
constexpr std::size_t kLargestTimeline = std::size_t{2} << 20U;

v1::TimelineKind SpanKindOf(const std::string& name) {
  if (name == "running") return v1::TIMELINE_KIND_RUNNING;
  if (name == "reserved") return v1::TIMELINE_KIND_RESERVED;
  if (name == "draining") return v1::TIMELINE_KIND_DRAINING;
  return name == "forecast" ? v1::TIMELINE_KIND_FORECAST
                            : v1::TIMELINE_KIND_APPROXIMATE;
}

// "STAGE/MICROSECONDS/ID"; without a start "STAGE//ID".
std::string SpanTokenOf(const Span& span) {
  return fmt::format(
      "{}/{}/{}", span.stage,
      span.start ? std::to_string(span.start->time_since_epoch().count()) : "",
      span.id);
}

template <typename Number>
bool ReadNumber(std::string_view text, Number& number) {
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

SpanPlace SpanPlaceOf(const std::string& token) {
  SpanPlace place;
  const std::string_view text(token);
  const std::size_t first = text.find('/');
  const std::size_t last = text.rfind('/');
  bool well = first != std::string_view::npos && first < last &&
              ReadNumber(text.substr(0, first), place.stage) &&
              ReadNumber(text.substr(last + 1), place.id);
  const std::string_view start =
      well ? text.substr(first + 1, last - first - 1) : "";
  if (!start.empty()) {
    std::int64_t since = 0;
    well = ReadNumber(start, since) && since >= 0 && since <= kLastMicrosecond;
    place.start = sql::Timestamp(sql::Timestamp::duration(since));
  }
  if (!well)
    throw GrpcRefusal(
        GrpcCode::kInvalidArgument,
        "page_token is none of ours; right would be the next_page_token of an "
        "answer",
        "page_token");
  return place;
}

TimelineFilter TimelineFilterOf(const v1::GetTimelineRequest& request,
                                sql::Timestamp now) {
  TimelineFilter filter;
  if (!request.namespace_().empty())
    filter.namespace_name = request.namespace_();
  if (!request.queue().empty()) filter.queue = request.queue();
  if (request.group() != 0) filter.group = request.group();
  const std::int64_t ahead = request.horizon_seconds();
  if (ahead < 0 || ahead > kLongestAhead)
    throw GrpcRefusal(
        GrpcCode::kInvalidArgument,
        fmt::format("horizon_seconds is {}; right would be 0 to {}", ahead,
                    kLongestAhead),
        "horizon_seconds");
  if (ahead > 0) filter.until = now + std::chrono::seconds(ahead);
  if (!request.page_token().empty())
    filter.after = SpanPlaceOf(request.page_token());
  filter.limit = PageSize(request.page_size()) + 1;
  return filter;
}

std::size_t SpanSizeOf(const Span& span, const InsideOfSpans& inside) {
  std::size_t size = 100 + span.pools.size() * 80;
  for (const std::string& node : span.nodes) {
    size += node.size() + 10;
    const auto parts = inside.find({span.stage, span.id, node});
    if (parts == inside.end()) continue;
    for (const std::string& of_pod : parts->second.parts)
      size += of_pod.size() + 3;
    for (const std::string& device : parts->second.devices)
      size += device.size() + 3;
  }
  return size;
}

// Cuts the spans to a page; returns true if there are more.
bool CutToPage(std::vector<Span>& spans, const InsideOfSpans& inside,
               std::size_t most) {
  std::size_t count = 0;
  std::size_t size = 0;
  while (count < std::min(most, spans.size())) {
    size += SpanSizeOf(spans[count], inside);
    if (count > 0 && size > kLargestTimeline) break;
    ++count;
  }
  const bool more = count < spans.size();
  spans.resize(count);
  return more;
}

CpuOfSpans ReadCpuOf(const std::vector<Span>& spans,
                     sql::Transaction& transaction) {
  std::vector<std::int64_t> running;
  for (const Span& span : spans)
    if (span.kind == "running") running.push_back(span.id);
  if (running.empty()) return {};
  return ReadSpanCpu(transaction, running);
}

InsideOfSpans ReadInsideOf(const std::vector<Span>& spans,
                           sql::Transaction& transaction) {
  std::vector<std::int64_t> with_nodes;
  for (const Span& span : spans)
    if (!span.nodes.empty()) with_nodes.push_back(span.id);
  if (with_nodes.empty()) return {};
  return ReadSpanInside(transaction, with_nodes);
}

void FillSpan(v1::TimelineGroup& message, const Span& span,
              const CpuOfSpans& cpu_milli, const InsideOfSpans& inside) {
  message.set_id(span.id);
  message.set_namespace_(span.group.namespace_name);
  message.set_name(span.group.name);
  message.set_queue(span.queue);
  message.set_size(span.size);
  message.set_kind(SpanKindOf(span.kind));
  message.mutable_pools()->insert(span.pools.begin(), span.pools.end());
  if (span.start) Fill(*message.mutable_starts_at(), *span.start);
  if (span.end) Fill(*message.mutable_ends_at(), *span.end);
  for (const std::string& name : span.nodes) {
    v1::TimelineNode& node = *message.add_nodes();
    node.set_name(name);
    const auto cpu = cpu_milli.find({span.id, name});
    if (cpu != cpu_milli.end()) node.set_cpu_milli(cpu->second);
    const auto parts = inside.find({span.stage, span.id, name});
    if (parts == inside.end()) continue;
    for (const std::string& of_pod : parts->second.parts)
      node.add_inside(of_pod);
    for (const std::string& device : parts->second.devices)
      node.add_devices(device);
  }
}

}  // namespace

void FillTimeline(v1::GetTimelineResponse& response,
                  const v1::GetTimelineRequest& request,
                  sql::Transaction& transaction, sql::Timestamp now) {
  const TimelineFilter filter = TimelineFilterOf(request, now);
  std::vector<Span> spans = ReadSpans(transaction, filter);
  const InsideOfSpans inside = ReadInsideOf(spans, transaction);
  if (CutToPage(spans, inside, static_cast<std::size_t>(*filter.limit - 1)))
    response.set_next_page_token(SpanTokenOf(spans.back()));
  Fill(*response.mutable_now(), now);
  const CpuOfSpans cpu_milli = ReadCpuOf(spans, transaction);
  for (const Span& span : spans)
    FillSpan(*response.add_groups(), span, cpu_milli, inside);
  if (filter.after) return;
  for (const auto& window : ReadSpanMaintenance(transaction, now)) {
    v1::TimelineMaintenance& message = *response.add_maintenance();
    message.set_node(window.node);
    Fill(*message.mutable_starts_at(), window.start);
    if (window.end) Fill(*message.mutable_ends_at(), *window.end);
    message.set_reason(window.reason.value_or(""));
  }
}

}  // namespace fluxnetes::services

// Sends spans to a collector by OTLP/HTTP in its JSON encoding (OpenTelemetry
// Protocol 1.x, "OTLP/HTTP": POST /v1/traces).
//
//   Add() ──▶ queue of 10,000 ──▶ batches of 512, once a second ──▶ collector
//
// Add() never waits: a span that finds the queue full is dropped and counted. A
// batch that the collector does not take within its deadline is dropped as
// well, with a message once until one is taken again. Spans are thus sent at
// most once.
//
// Add() and dropped() from any thread. The destructor sends what waits, for two
// seconds at most.
// Tests: tests/services/monitoring/span_exporter_test.cc.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "cluster/http/http_client.h"
#include "services/monitoring/trace_span.h"
#include "sql/condition_variable.h"
#include "sql/mutex.h"

namespace fluxnetes::services {

class SpanExporter {
 public:
  struct Options {
    std::string endpoint;  // "http://collector:4318"
    std::string instance;  // service.instance.id
    std::string version;   // service.version
    std::chrono::milliseconds interval{1'000};
    std::chrono::milliseconds deadline{10'000};  // of a batch
    // Called with what went wrong, and with "" once it is well again.
    std::function<void(const std::string& why)> on_trouble;
  };

  // Throws std::invalid_argument for an unusable endpoint.
  explicit SpanExporter(Options options);
  // Waits for the batch that is being sent, and two seconds for what waits.
  ~SpanExporter();

  void Add(std::span<const TraceSpan> spans) EXCLUDES(mutex_);
  std::int64_t dropped() const EXCLUDES(mutex_);

 private:
  void Run() EXCLUDES(mutex_);
  void Send(const std::vector<TraceSpan>& batch) EXCLUDES(mutex_);
  std::chrono::milliseconds TimeForABatch() const EXCLUDES(mutex_);

  const Options options_;
  cluster::HttpClient client_;
  bool in_trouble_ = false;  // of the thread alone

  mutable sql::Mutex mutex_;
  sql::ConditionVariable changed_;
  std::vector<TraceSpan> waiting_ GUARDED_BY(mutex_);
  std::int64_t dropped_ GUARDED_BY(mutex_) = 0;
  std::optional<std::chrono::steady_clock::time_point> stop_by_
      GUARDED_BY(mutex_);
  std::thread thread_;
};

// The body of a request with these spans. Pure.
std::string WriteOtlp(std::span<const TraceSpan> spans,
                      const std::string& instance, const std::string& version);

}  // namespace fluxnetes::services

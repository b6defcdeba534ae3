// The pages in the browser, as `fluxnetes serve` offers them at web.listen:
//
//   GET  /                                   the document, script and style
//   POST /session                            a link's secret for a cookie
//   DELETE /session                          signs out
//   GET  /session                            who says who asks: link or proxy
//   POST /fluxnetes.v1.Scheduler/METHOD      calls, see json_calls.h
//   GET  /events/groups                      changes, see group_events.h
//
// Every request passes CheckRequest() (web_guard.h); all but the files and
// /session need a session (web_sessions.h), or come through a proxy that says
// who asks (proxy_identity.h). A refused request has a line in the
// log that says why. While the database is away, calls end with "unavailable".
//
// The feed is shared with gRPC. Its owner starts it first, and stops it first,
// which ends the streams.
//
// Start() and Stop() are for one thread; stopping twice is fine.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "services/config/config.h"
#include "services/config/log.h"
#include "services/feed/group_feed.h"
#include "services/monitoring/health.h"
#include "services/monitoring/pool_metrics.h"

namespace fluxnetes::services {

class WebApi {
 public:
  // `health` looks at this process. Throws Failure (kUsage) for settings that
  // do not agree with each other.
  WebApi(const Config& config, const Log& log, GroupFeed& feed,
         std::function<Health()> health = {});
  ~WebApi();  // Stop()
  WebApi(const WebApi&) = delete;
  WebApi& operator=(const WebApi&) = delete;

  // Throws Failure (kUsage) if it cannot listen.
  void Start();
  // Finishes running calls.
  void Stop();

  // The address for a client, "unix:PATH" or "http://HOST:PORT"; valid after
  // Start().
  std::string address() const;

  // Adds the metrics of its connection pool; callable from any thread.
  void AddTo(PoolMetrics& pools) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fluxnetes::services

// The HTTP server of `serve` for probes and monitoring: one port, read-only.
//
//   GET /healthz   200 as long as the process lives: no loop is stuck
//   GET /readyz    200 if it can do its work, else 503; a line for each check
//   GET /metrics   Prometheus' text format
//
// It is plain HTTP, also for other machines, since the kubelet's probes and
// scrapers use it. So it reveals no secrets and no names of pods, groups or
// accounts, only those of queues, and why the database cannot be reached.
// Connections are few and requests short: slow or idle clients are
// disconnected.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "services/monitoring/health.h"

namespace fluxnetes::services {

struct StatusServerOptions {
  std::string address;  // "ADDRESS:PORT" or "unix:PATH"
  // Called from many threads; each must answer within about a second.
  std::function<Health()> health;
  std::function<Health()> readiness;
  std::function<std::string()> metrics;
};

class HttpServer;

class StatusServer {
 public:
  explicit StatusServer(StatusServerOptions options);
  ~StatusServer();  // Stop()

  // Throws std::runtime_error if it cannot listen.
  void Start();
  void Stop();
  // The address for a client; valid after Start().
  const std::string& address() const;

 private:
  std::unique_ptr<HttpServer> server_;
};

}  // namespace fluxnetes::services

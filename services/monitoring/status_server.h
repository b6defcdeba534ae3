// The HTTP side of `serve` for probes and monitoring: one port, only to be
// read.
//
//   GET /healthz   200 as long as the process lives: no loop is stuck
//   GET /readyz    200 if it can do its work, else 503; a line for each check
//   GET /metrics   Prometheus' text format
//
// Plain text, also off this machine, since the kubelet's probes and a scrape
// are nothing else: so it tells no secrets and no names of pods, groups or
// accounts, but those of queues, and why the database cannot be reached. Few
// connections, short requests: whoever is slow or idle is cut off.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "services/monitoring/health.h"

namespace fluxnetes::services {

struct StatusServerOptions {
  std::string address;  // "ADDRESS:PORT" or "unix:PATH"
  // Each from many threads, and each answers within a second or so.
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
  // For a client; after Start.
  const std::string& address() const;

 private:
  std::unique_ptr<HttpServer> server_;
};

}  // namespace fluxnetes::services

// The configuration of this program: built-in defaults, overridden by a YAML
// file, then the environment, then flags. All settings are checked before
// anything starts. An error names the key, its place and the valid values; all
// errors are reported at once.
//
//   database:
//     connection: host=db.example dbname=fluxnetes   # libpq, or a URI
//     schema: fluxnetes
//   cluster:
//     kind: simulated          # or api
//     nodes: nodes.yaml
//
// Plain values; settings.h has every key.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "cluster/kubernetes/owner_kinds.h"
#include "cluster/scheduler_names.h"
#include "services/config/log.h"

namespace fluxnetes::services {

enum class ClusterKind {
  kSimulated,  // inside `serve`; its API is served at cluster.listen
  kApi         // an API server: Kubernetes or `fluxnetes simulated-cluster`
};

enum class WebIdentity {
  kLink,  // a link of `fluxnetes web`, and then a cookie
  kProxy  // headers of an authenticating proxy; see proxy_identity.h
};

struct Config {
  struct Database {
    // A libpq connection string or URI; empty: PGHOST, PGDATABASE, ... apply.
    std::string connection;
    std::string schema = "fluxnetes";
    int max_connections = 16;
    // True if the connection goes to a proxy that pools transactions (pgbouncer
    // with pool_mode = transaction). NOTIFY does not pass it, so loops poll.
    bool transaction_pooling = false;
    bool operator==(const Database&) const = default;
  };
  struct Cluster {
    ClusterKind kind = ClusterKind::kSimulated;
    std::string nodes;    // kSimulated: the file of nodes
    std::string listen;   // kSimulated: "unix:PATH" or loopback "HOST:PORT"
    std::string address;  // kApi: "unix:PATH", "http://…" or "https://…"
    // kApi without an address; see cluster_access.h.
    std::string kubeconfig;
    std::string context;  // in the kubeconfig; empty: the current one
    std::vector<cluster::OwnerKind> owner_kinds;  // besides the known ones
    int requests_per_second = 0;                  // kApi: limit; 0: none
    bool protobuf = true;    // kApi: what the server has of it; else JSON
    std::string structures;  // a file of what nodes have inside; empty: none
    bool operator==(const Cluster&) const = default;
    // The address of the API server for `submit`.
    std::string Api() const;
  };
  struct Http {
    // The address for /healthz, /readyz and /metrics: "unix:PATH" or
    // "HOST:PORT"; empty: not served.
    std::string listen = "127.0.0.1:10292";
    bool operator==(const Http&) const = default;
  };
  struct Client {
    std::chrono::milliseconds time_to_live{3'000};
    std::chrono::milliseconds heartbeat{1'000};
    bool operator==(const Client&) const = default;
  };
  struct Logging {
    LogLevel level = LogLevel::kInfo;
    LogFormat format = LogFormat::kAuto;
    bool operator==(const Logging&) const = default;
  };

  struct Grpc {
    // "unix:PATH", "HOST:PORT", or empty: not served. An address that other
    // machines can reach needs the three files; see grpc_certificates.h.
    std::string listen;
    std::string certificate;
    std::string key;
    std::string client_ca;
    // For the Fluence-compatible services; see fluence_services.h.
    bool external_service = false;
    std::string match_queue = "default";
    std::chrono::milliseconds match_lifetime{std::chrono::hours(48)};
    // A file, see grpc_access.h; empty: everybody is a viewer.
    std::string access;
    bool operator==(const Grpc&) const = default;
  };

  // The pages in the browser; see web_api.h.
  struct Web {
    // "unix:PATH", loopback "HOST:PORT", or empty: not served.
    std::string listen;
    // The names, beside those of loopback, by which browsers reach it.
    std::vector<std::string> hosts;
    // The path before that of each page, if a proxy passes it: "/fluxnetes".
    std::string prefix;
    bool read_only = false;  // everybody is a viewer
    WebIdentity identity = WebIdentity::kLink;
    // A file, see proxy_identity.h; empty: none.
    std::string proxy_secret;
    // The sites that may show the pages in a frame, as in the directive
    // frame-ancestors: "https://portal.example"; empty: none.
    std::vector<std::string> frame_ancestors;
    bool operator==(const Web&) const = default;
  };

  Database database;
  Cluster cluster;
  Http http;
  Client client;
  Grpc grpc;
  Web web;
  Logging log;
  // Where spans are sent by OTLP/HTTP, without the path; empty: nowhere.
  std::string tracing_endpoint;
  cluster::SchedulerNames schedulers{};  // spec.schedulerName of our pods
  std::chrono::milliseconds shutdown_grace{10'000};
  bool binding_events = true;  // whether a binding records an event Scheduled
  // The time between two resyncs; see workers/resync/resync.h.
  std::chrono::milliseconds resync_interval{300'000};
  bool operator==(const Config&) const = default;
};

class ConfigError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;  // one line per error
};

// The sources of settings.
struct ConfigSources {
  // The file given on the command line. nullopt: FLUXNETES_CONFIG, else
  // .fluxnetes/config.yaml or /etc/fluxnetes/config.yaml if one exists.
  std::optional<std::string> file;
  // The environment; empty: that of the process.
  std::function<const char*(const char*)> environment;
  std::vector<std::pair<std::string, std::string>> flags;  // key, value
  std::string directory = ".";  // searched for .fluxnetes/
};

struct EffectiveConfig {
  Config config;
  std::map<std::string, std::string> origin;  // by key: "default", ...
};

// Throws ConfigError.
EffectiveConfig LoadConfig(const ConfigSources& sources);

// Returns the configuration as a YAML file that yields the same settings, with
// the origin of each value as a comment and passwords masked.
std::string PrintConfig(const EffectiveConfig& effective);

}  // namespace fluxnetes::services

#include "services/config/settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "services/config/setting_values.h"

namespace fluxnetes::services {
namespace {

constexpr ValueNames<bool, 2> kEncodings = {
    {{"protobuf", true}, {"json", false}}};
constexpr ValueNames<ClusterKind, 2> kKinds = {
    {{"simulated", ClusterKind::kSimulated}, {"api", ClusterKind::kApi}}};
constexpr ValueNames<bool, 2> kPoolings = {
    {{"session", false}, {"transaction", true}}};
constexpr ValueNames<bool, 2> kSwitch = {{{"off", false}, {"on", true}}};
constexpr ValueNames<WebIdentity, 2> kIdentities = {
    {{"link", WebIdentity::kLink}, {"proxy", WebIdentity::kProxy}}};
constexpr ValueNames<LogLevel, 4> kLevels = {{{"debug", LogLevel::kDebug},
                                              {"info", LogLevel::kInfo},
                                              {"warn", LogLevel::kWarn},
                                              {"error", LogLevel::kError}}};
constexpr ValueNames<LogFormat, 3> kFormats = {{{"auto", LogFormat::kAuto},
                                                {"text", LogFormat::kText},
                                                {"json", LogFormat::kJson}}};

constexpr Setting kSettings[] = {
    {"database.connection", "FLUXNETES_DATABASE", "database", "CONNECTION",
     "libpq connection string or URI of the database",
     [](Config& c, const std::string& t) { c.database.connection = t; },
     [](const Config& c) { return c.database.connection; }},
    {"database.schema", "FLUXNETES_SCHEMA", "schema", "NAME",
     "schema that holds the tables",
     [](Config& c, const std::string& t) {
       c.database.schema = ParseSchema(t);
     },
     [](const Config& c) { return c.database.schema; }},
    {"database.maxConnections", "FLUXNETES_MAX_CONNECTIONS", "max-connections",
     "N", "most connections that one process opens",
     [](Config& c, const std::string& t) {
       c.database.max_connections = ParseNumber(t, 2, 1000);
     },
     [](const Config& c) {
       return std::to_string(c.database.max_connections);
     }},
    {"database.pooling", "FLUXNETES_DATABASE_POOLING", "database-pooling",
     "MODE",
     "session, or transaction if the connection leads to a proxy that pools "
     "transactions",
     [](Config& c, const std::string& t) {
       c.database.transaction_pooling = ParseName(kPoolings, t);
     },
     [](const Config& c) {
       return NameOf(kPoolings, c.database.transaction_pooling);
     }},
    {"cluster.kind", "FLUXNETES_CLUSTER_KIND", "cluster-kind", "KIND",
     "simulated (inside serve) or api (an API server)",
     [](Config& c, const std::string& t) {
       c.cluster.kind = ParseName(kKinds, t);
     },
     [](const Config& c) { return NameOf(kKinds, c.cluster.kind); }},
    {"cluster.nodes", "FLUXNETES_NODES", "nodes", "FILE",
     "nodes of the simulated cluster",
     [](Config& c, const std::string& t) { c.cluster.nodes = t; },
     [](const Config& c) { return c.cluster.nodes; }},
    {"cluster.listen", "FLUXNETES_LISTEN", "listen", "ADDRESS",
     "where serve offers the API of its simulated cluster: unix:PATH or "
     "127.0.0.1:PORT",
     [](Config& c, const std::string& t) { c.cluster.listen = ParseListen(t); },
     [](const Config& c) { return c.cluster.listen; }},
    {"cluster.address", "FLUXNETES_CLUSTER", "cluster", "ADDRESS",
     "API server: unix:PATH, http://HOST:PORT or https://HOST:PORT; without "
     "it, "
     "the one of the kubeconfig or of the pod's service account",
     [](Config& c, const std::string& t) {
       c.cluster.address = ParseAddress(t);
     },
     [](const Config& c) { return c.cluster.address; }},
    {"cluster.kubeconfig", "FLUXNETES_KUBECONFIG", "kubeconfig", "FILE",
     "kubeconfig of the API server; without it KUBECONFIG, the pod's service "
     "account, or ~/.kube/config",
     [](Config& c, const std::string& t) { c.cluster.kubeconfig = t; },
     [](const Config& c) { return c.cluster.kubeconfig; }},
    {"cluster.context", "FLUXNETES_CONTEXT", "context", "NAME",
     "context of the kubeconfig; without it the current one",
     [](Config& c, const std::string& t) { c.cluster.context = t; },
     [](const Config& c) { return c.cluster.context; }},
    {"cluster.ownerKinds", "FLUXNETES_OWNER_KINDS", "owner-kinds", "KINDS",
     "kinds of objects, with commas, that operators make pods from, besides "
     "the known ones: MPIJob=mpijobs.v2beta1.kubeflow.org",
     [](Config& c, const std::string& t) {
       c.cluster.owner_kinds = ParseOwnerKinds(t);
     },
     [](const Config& c) {
       std::vector<std::string> kinds;
       for (const cluster::OwnerKind& kind : c.cluster.owner_kinds)
         kinds.push_back(cluster::Write(kind));
       return fmt::format("{}", fmt::join(kinds, ","));
     },
     /*list=*/true},
    {"cluster.requestsPerSecond", "FLUXNETES_REQUESTS_PER_SECOND",
     "requests-per-second", "N",
     "most requests to the API server in a second, beside watches; 0 is no "
     "limit",
     [](Config& c, const std::string& t) {
       c.cluster.requests_per_second = ParseNumber(t, 0, 1'000'000);
     },
     [](const Config& c) {
       return std::to_string(c.cluster.requests_per_second);
     }},
    {"cluster.encoding", "FLUXNETES_ENCODING", "encoding", "ENCODING",
     "what Kubernetes' own kinds are read in, and bindings and events written "
     "in: protobuf or json",
     [](Config& c, const std::string& t) {
       c.cluster.protobuf = ParseName(kEncodings, t);
     },
     [](const Config& c) { return NameOf(kEncodings, c.cluster.protobuf); }},
    {"cluster.structures", "FLUXNETES_STRUCTURES", "structures", "FILE",
     "what nodes have inside, by their labels",
     [](Config& c, const std::string& t) { c.cluster.structures = t; },
     [](const Config& c) { return c.cluster.structures; }},
    {"http.listen", "FLUXNETES_HTTP_LISTEN", "http-listen", "ADDRESS",
     "where serve answers /healthz, /readyz and /metrics: ADDRESS:PORT, "
     "unix:PATH or off",
     [](Config& c, const std::string& t) {
       c.http.listen = ParseServerListen(t);
     },
     [](const Config& c) {
       return c.http.listen.empty() ? "off" : c.http.listen;
     }},
    {"client.timeToLive", "FLUXNETES_CLIENT_TTL", "client-ttl", "DURATION",
     "how old the heartbeat of a process may get before it counts as dead",
     [](Config& c, const std::string& t) {
       c.client.time_to_live = ParseDuration(t);
     },
     [](const Config& c) { return FormatDuration(c.client.time_to_live); }},
    {"client.heartbeat", "FLUXNETES_CLIENT_HEARTBEAT", "client-heartbeat",
     "DURATION", "how often a process writes that it is alive",
     [](Config& c, const std::string& t) {
       c.client.heartbeat = ParseDuration(t);
     },
     [](const Config& c) { return FormatDuration(c.client.heartbeat); }},
    {"grpc.listen", "FLUXNETES_GRPC_LISTEN", "grpc-listen", "ADDRESS",
     "where serve offers gRPC: off, unix:PATH, 127.0.0.1:PORT, or with "
     "certificates an address like 0.0.0.0:PORT",
     [](Config& c, const std::string& t) {
       c.grpc.listen = ParseServerListen(t);
     },
     [](const Config& c) { return c.grpc.listen; }},
    {"grpc.tlsCert", "FLUXNETES_GRPC_TLS_CERT", "grpc-tls-cert", "FILE",
     "certificate of the gRPC server, with what leads to its authority",
     [](Config& c, const std::string& t) { c.grpc.certificate = t; },
     [](const Config& c) { return c.grpc.certificate; }},
    {"grpc.tlsKey", "FLUXNETES_GRPC_TLS_KEY", "grpc-tls-key", "FILE",
     "key of that certificate",
     [](Config& c, const std::string& t) { c.grpc.key = t; },
     [](const Config& c) { return c.grpc.key; }},
    {"grpc.clientCA", "FLUXNETES_GRPC_CLIENT_CA", "grpc-client-ca", "FILE",
     "authorities that sign the certificates of gRPC's clients",
     [](Config& c, const std::string& t) { c.grpc.client_ca = t; },
     [](const Config& c) { return c.grpc.client_ca; }},
    {"grpc.externalService", "FLUXNETES_GRPC_EXTERNAL_SERVICE",
     "grpc-external-service", "SWITCH",
     "on or off: whether service.ExternalPluginService is offered",
     [](Config& c, const std::string& t) {
       c.grpc.external_service = ParseName(kSwitch, t);
     },
     [](const Config& c) { return NameOf(kSwitch, c.grpc.external_service); }},
    {"grpc.matchQueue", "FLUXNETES_GRPC_MATCH_QUEUE", "grpc-match-queue",
     "QUEUE", "scheduling queue of the matches of Fluence-compatible services",
     [](Config& c, const std::string& t) { c.grpc.match_queue = t; },
     [](const Config& c) { return c.grpc.match_queue; }},
    {"grpc.matchLifetime", "FLUXNETES_GRPC_MATCH_LIFETIME",
     "grpc-match-lifetime", "DURATION",
     "how long a match holds its nodes if nobody cancels it",
     [](Config& c, const std::string& t) {
       c.grpc.match_lifetime = ParseLifetime(t);
     },
     [](const Config& c) { return FormatDuration(c.grpc.match_lifetime); }},
    {"grpc.access", "FLUXNETES_GRPC_ACCESS", "grpc-access", "FILE",
     "which callers are users or operators; others are viewers",
     [](Config& c, const std::string& t) { c.grpc.access = t; },
     [](const Config& c) { return c.grpc.access; }},
    {"web.listen", "FLUXNETES_WEB_LISTEN", "web-listen", "ADDRESS",
     "where serve offers its pages to browsers: off, unix:PATH or "
     "127.0.0.1:PORT",
     [](Config& c, const std::string& t) { c.web.listen = ParseWebListen(t); },
     [](const Config& c) {
       return c.web.listen.empty() ? "off" : c.web.listen;
     }},
    {"web.hosts", "FLUXNETES_WEB_HOSTS", "web-hosts", "NAMES",
     "names, with commas, by which browsers reach the pages through a proxy",
     [](Config& c, const std::string& t) { c.web.hosts = ParseHosts(t); },
     [](const Config& c) {
       return fmt::format("{}", fmt::join(c.web.hosts, ","));
     },
     /*list=*/true},
    {"web.prefix", "FLUXNETES_WEB_PREFIX", "web-prefix", "PATH",
     "path before that of each page, if a proxy passes it on: /fluxnetes",
     [](Config& c, const std::string& t) { c.web.prefix = ParsePrefix(t); },
     [](const Config& c) { return c.web.prefix; }},
    {"web.readOnly", "FLUXNETES_WEB_READ_ONLY", "web-read-only", "SWITCH",
     "on or off: whether the pages change nothing",
     [](Config& c, const std::string& t) {
       c.web.read_only = ParseName(kSwitch, t);
     },
     [](const Config& c) { return NameOf(kSwitch, c.web.read_only); }},
    {"web.identity", "FLUXNETES_WEB_IDENTITY", "web-identity", "KIND",
     "who says who looks at the pages: link (of `fluxnetes web`), or proxy (an "
     "authenticating proxy before them)",
     [](Config& c, const std::string& t) {
       c.web.identity = ParseName(kIdentities, t);
     },
     [](const Config& c) { return NameOf(kIdentities, c.web.identity); }},
    {"web.proxySecret", "FLUXNETES_WEB_PROXY_SECRET", "web-proxy-secret",
     "FILE", "the secret that the proxy sends as X-Proxy-Secret",
     [](Config& c, const std::string& t) { c.web.proxy_secret = t; },
     [](const Config& c) { return c.web.proxy_secret; }},
    {"web.frameAncestors", "FLUXNETES_WEB_FRAME_ANCESTORS",
     "web-frame-ancestors", "SITES",
     "sites, with commas, that may show the pages in a frame: self or "
     "https://portal.example",
     [](Config& c, const std::string& t) {
       c.web.frame_ancestors = ParseAncestors(t);
     },
     [](const Config& c) {
       return fmt::format("{}", fmt::join(c.web.frame_ancestors, ","));
     },
     /*list=*/true},
    {"log.level", "FLUXNETES_LOG_LEVEL", "log-level", "LEVEL",
     "debug, info, warn or error",
     [](Config& c, const std::string& t) {
       c.log.level = ParseName(kLevels, t);
     },
     [](const Config& c) { return NameOf(kLevels, c.log.level); }},
    {"log.format", "FLUXNETES_LOG_FORMAT", "log-format", "FORMAT",
     "auto (text on a terminal), text or json",
     [](Config& c, const std::string& t) {
       c.log.format = ParseName(kFormats, t);
     },
     [](const Config& c) { return NameOf(kFormats, c.log.format); }},
    {"tracing.endpoint", "FLUXNETES_TRACING_ENDPOINT", "tracing-endpoint",
     "ADDRESS",
     "collector of traces (OTLP/HTTP with JSON): off, or http://HOST:PORT or "
     "https://HOST:PORT, without the path /v1/traces",
     [](Config& c, const std::string& t) {
       c.tracing_endpoint = t == "off" ? "" : ParseAddress(t);
     },
     [](const Config& c) {
       return c.tracing_endpoint.empty() ? "off" : c.tracing_endpoint;
     }},
    {"schedulerNames", "FLUXNETES_SCHEDULER_NAMES", "scheduler-names", "NAMES",
     "values of spec.schedulerName, with commas, that select Fluxnetes",
     [](Config& c, const std::string& t) {
       c.schedulers = ParseSchedulerNames(t);
     },
     [](const Config& c) {
       return fmt::format("{}", fmt::join(c.schedulers.all(), ","));
     },
     /*list=*/true},
    {"bindingEvents", "FLUXNETES_BINDING_EVENTS", "binding-events", "SWITCH",
     "on or off: whether an event tells of each binding",
     [](Config& c, const std::string& t) {
       c.binding_events = ParseName(kSwitch, t);
     },
     [](const Config& c) { return NameOf(kSwitch, c.binding_events); }},
    {"shutdownGrace", "FLUXNETES_SHUTDOWN_GRACE", "shutdown-grace", "DURATION",
     "how long serve may take to stop in order",
     [](Config& c, const std::string& t) {
       c.shutdown_grace = ParseDuration(t);
     },
     [](const Config& c) { return FormatDuration(c.shutdown_grace); }},
    {"resyncInterval", "FLUXNETES_RESYNC_INTERVAL", "resync-interval",
     "DURATION", "how often cluster, tables and memory are compared in full",
     [](Config& c, const std::string& t) {
       c.resync_interval = ParseDuration(t);
     },
     [](const Config& c) { return FormatDuration(c.resync_interval); }},
};

}  // namespace

std::span<const Setting> Settings() { return kSettings; }

const Setting* FindSetting(std::string_view key) {
  for (const Setting& setting : kSettings)
    if (setting.key == key) return &setting;
  return nullptr;
}

}  // namespace fluxnetes::services

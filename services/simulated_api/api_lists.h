// Lists and watches of objects (served_kinds.h) in the form of the Kubernetes
// API. A list
// comes in pages of one snapshot. A watch is a stream of JSON lines from a
// given version on, with bookmarks; it ends after `timeoutSeconds`.
//
// Thread-safe.
// Tests: tests/services/simulated_api/cluster_api_test.cc.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <string>

#include "cluster/simulated/simulated_cluster.h"
#include "services/api_kinds/watch_log.h"
#include "services/http/http_server.h"
#include "sql/mutex.h"

namespace fluxnetes::services {

class ApiLists {
 public:
  ApiLists(cluster::SimulatedCluster& cluster, int entries_kept,
           std::chrono::milliseconds bookmark_interval);

  void Start() { log_.Start(); }
  void Stop() { log_.Stop(); }

  // An empty `namespace_name` means all namespaces.
  HttpAnswer ListOrWatch(cluster::WatchedKind kind,
                         const std::string& namespace_name,
                         const std::map<std::string, std::string>& query);

  // Ends all open watches (an injected fault).
  void CloseWatches() { ++generation_; }

 private:
  using Snapshot = std::shared_ptr<const ServedList>;
  struct Reader;

  HttpAnswer List(cluster::WatchedKind kind, const std::string& namespace_name,
                  const std::map<std::string, std::string>& query)
      EXCLUDES(mutex_);
  HttpAnswer Watch(cluster::WatchedKind kind, const std::string& namespace_name,
                   const std::map<std::string, std::string>& query);
  std::optional<std::string> NextPiece(Reader& reader);
  std::string Keep(Snapshot snapshot, std::size_t next) EXCLUDES(mutex_);

  cluster::SimulatedCluster& cluster_;
  const std::chrono::milliseconds bookmark_interval_;
  WatchLog log_;
  std::atomic<int> generation_ = 0;

  sql::Mutex mutex_;
  // Snapshots of lists that have further pages, by number.
  std::map<std::uint64_t, Snapshot> kept_ GUARDED_BY(mutex_);
  std::uint64_t next_kept_ GUARDED_BY(mutex_) = 1;
};

}  // namespace fluxnetes::services

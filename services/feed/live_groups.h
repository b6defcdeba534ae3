// The feed of changed groups that gRPC and the pages share, with its connection
// to the database, so that a process has the groups in memory once.
//
// feed().Start() and feed().Stop() are for one thread.
// Tests: tests/services/web/web_api_pgtest.cc.
#pragma once

#include "services/config/config.h"
#include "services/config/log.h"
#include "services/feed/group_feed.h"
#include "services/monitoring/pool_metrics.h"
#include "sql/connection/pool.h"

namespace fluxnetes::services {

class LiveGroups {
 public:
  // The log must outlive it.
  LiveGroups(const Config& config, const Log& log);

  GroupFeed& feed() { return feed_; }

  // Adds the metrics of its connection; callable from any thread.
  void AddTo(PoolMetrics& pools) const;

 private:
  sql::Pool pool_;
  GroupFeed feed_;
};

}  // namespace fluxnetes::services

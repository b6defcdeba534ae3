// Who is let in to the pages on loopback: `fluxnetes web` makes a link with a
// secret, which a browser exchanges, once, for a session, whose secret is its
// cookie. The database has the digests of both, so every replica knows them,
// and they outlive the server.
//
// Thread-safe. Throws sql::Error.
// Tests: tests/services/web/web_api_pgtest.cc.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>

#include "services/database/principal.h"
#include "sql/connection/pool.h"
#include "sql/mutex.h"

namespace fluxnetes::services {

struct WebSessionTimes {
  std::chrono::seconds link{std::chrono::minutes(5)};
  std::chrono::seconds session{std::chrono::hours(12)};
  // How long a session that was found is taken to be there still.
  std::chrono::milliseconds remembered{30'000};
};

class WebSessions {
 public:
  // The pool has the queries of web_sessions.sql prepared, and outlives it.
  explicit WebSessions(sql::Pool& pool, WebSessionTimes times = {})
      : pool_(pool), times_(times) {}

  const WebSessionTimes& times() const { return times_; }

  // Returns the secret of a new link for this caller.
  std::string MakeLink(const Principal& caller);

  // Returns the secret of a new session; nullopt if there is no such link, or
  // no longer.
  std::optional<std::string> Open(const std::string& link);

  // Returns the caller of the session; nullopt if it does not exist or is over.
  std::optional<Principal> Find(const std::string& secret) EXCLUDES(mutex_);

  void End(const std::string& secret) EXCLUDES(mutex_);

 private:
  struct Known {
    Principal caller;
    std::chrono::steady_clock::time_point until;
  };

  sql::Pool& pool_;
  const WebSessionTimes times_;
  sql::Mutex mutex_;
  std::map<std::string, Known> known_ GUARDED_BY(mutex_);  // by digest
};

}  // namespace fluxnetes::services

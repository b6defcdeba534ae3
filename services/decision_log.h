// One line of the log for each decision: which group, on which nodes, how long
// it took; and what became of it at the API server.
//
//   info  group allocated  group=a/train id=17 queue=default nodes=n1,n2 ms=3.1
//
// The name of a group is read from the database, for all groups of a decision
// at once, and only if the lines are written at all; while the database is away
// there is just the id. Thread-safe, throws nothing.
#pragma once

#include <chrono>
#include <string>
#include <unordered_map>
#include <vector>

#include "services/log.h"
#include "sql/pool.h"
#include "workers/decision.h"

namespace fluxnetes::services {

class DecisionLog {
 public:
  // The pool has the queries of Catalogue() prepared.
  DecisionLog(const Log& log, sql::Pool& pool) : log_(log), pool_(pool) {}
  static std::span<const sql::Query> Catalogue();

  void Decided(const workers::Decision& decision,
               std::chrono::microseconds took) const;
  void Bound(const std::vector<workers::GroupId>& bound,
             const std::vector<workers::GroupId>& back) const;

 private:
  using Ids = std::vector<workers::GroupId>;
  using Names = std::unordered_map<workers::GroupId, std::string>;

  Names NamesOf(const Ids& groups) const;

  const Log& log_;
  sql::Pool& pool_;
};

}  // namespace fluxnetes::services

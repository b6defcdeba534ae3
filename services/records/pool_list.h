// Pools of the cluster, such as licences, with the groups that hold them, for
// people and programs.
//
// Reads only. Throws sql::Error.
// Tests: tests/services/editing/pool_command_pgtest.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sql/connection/transaction.h"

namespace fluxnetes::services {

struct PoolHolder {
  std::string group;    // "a/train"; empty: its rows are deleted
  std::int64_t id = 0;  // of the group
  std::int64_t amount = 0;
  bool reserved = false;  // from `start` on; else held since then
  sql::Timestamp start;
  std::optional<sql::Timestamp> end;  // nullopt: none is known
};

struct PoolRow {
  std::string name;
  std::int64_t total = 0;
  std::int64_t held = 0;
  std::int64_t reserved = 0;  // for later, in sum
  std::int64_t free = 0;
  std::optional<std::string> description;
  std::vector<PoolHolder> holders;  // those that hold it first
};

// In order of name; only the one of this name, if there is one.
std::vector<PoolRow> ReadPoolRows(sql::Transaction& transaction,
                                  const std::optional<std::string>& name);

}  // namespace fluxnetes::services

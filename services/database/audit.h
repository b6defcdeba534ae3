// Who has changed what: a row of `audit` for each change that somebody makes,
// in the transaction of the change itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "services/database/caller.h"
#include "sql/connection/transaction.h"

namespace fluxnetes::services {

// Who makes a change, and by which way.
struct Actor {
  std::string name;
  Role role = Role::kOperator;  // not a viewer
  std::string via;              // "cli", "grpc"
};

// The user who runs this process.
Actor ProcessActor();

struct Change {
  std::string verb;    // "cancel"
  std::string object;  // "group/a/train"
  std::string detail = {};
};

// Throws sql::Error. Returns the row's id.
std::int64_t RecordChange(sql::Transaction& transaction, const Actor& actor,
                          const Change& change);

// The same change of each of these objects, in this order.
void RecordChanges(sql::Transaction& transaction, const Actor& actor,
                   const std::string& verb,
                   const std::vector<std::string>& objects,
                   const std::string& detail = {});

// What came of a change that is not made in the database: its row is there
// before, so that it is known that somebody tried.
void RecordOutcome(sql::Pool& pool, std::int64_t id,
                   const std::string& outcome);

}  // namespace fluxnetes::services

// The audit log: one row of `audit` for each change by a user, written in the
// transaction of the change itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "services/database/principal.h"
#include "sql/connection/transaction.h"

namespace fluxnetes::services {

// The user who makes a change, and the interface used.
struct Actor {
  std::string name;
  Role role = Role::kOperator;  // never kViewer
  std::string via;              // "cli", "grpc"
};

// Returns the user who runs this process.
Actor ProcessActor();

struct Change {
  std::string verb;    // "cancel"
  std::string object;  // "group/a/train"
  std::string detail = {};
};

// Inserts a row and returns its id. Throws sql::Error.
std::int64_t RecordChange(sql::Transaction& transaction, const Actor& actor,
                          const Change& change);

// Records the same change for each of these objects, in this order.
void RecordChanges(sql::Transaction& transaction, const Actor& actor,
                   const std::string& verb,
                   const std::vector<std::string>& objects,
                   const std::string& detail = {});

// Adds the outcome to the row of a change made outside the database. The row is
// inserted before the change, so that an attempt is on record too.
void RecordOutcome(sql::Pool& pool, std::int64_t id,
                   const std::string& outcome);

}  // namespace fluxnetes::services

// What `get` shows, of any kind: a table for people and documents for programs,
// made from one answer of the database.
//
// Plain values; the functions read only and throw sql::Error.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "services/console/table.h"
#include "services/grammar/options.h"
#include "services/records/group_list.h"
#include "sql/connection/transaction.h"

namespace fluxnetes::services {

struct Listing {
  const char* kind;  // "GroupList"
  const char* noun;  // "groups"
  Table table;
  // Of each row of the table: what `-o name` prints, and a text that changes
  // when something has happened to it (and not merely time has passed).
  std::vector<std::string> names;
  std::vector<std::string> fingerprints;
  // An array, a document for each row; null unless the output needs it.
  std::shared_ptr<nlohmann::ordered_json> items;
  bool more = false;  // there are more than were asked for
  std::optional<std::int64_t> beyond = {};  // and so many, if that is known
};

// The groups that the options select; `limit` rows at most (0: all).
GroupFilter FilterOf(const GetOptions& options, sql::Timestamp now);
Listing ListGroupsFor(sql::Transaction& transaction, const GetOptions& options,
                      GroupFilter filter, sql::Timestamp now);

Listing ListNodesFor(sql::Transaction& transaction, const GetOptions& options,
                     sql::Timestamp now);
Listing ListQueuesFor(sql::Transaction& transaction, const GetOptions& options,
                      sql::Timestamp now);
Listing ListAccountsFor(sql::Transaction& transaction,
                        const GetOptions& options);
Listing ListMaintenanceFor(sql::Transaction& transaction,
                           const GetOptions& options, sql::Timestamp now);
// How wrong estimates of starts were.
Listing ListEstimatesFor(sql::Transaction& transaction,
                         const GetOptions& options);
Listing ListJobsFor(sql::Transaction& transaction, const GetOptions& options,
                    sql::Timestamp now);

// What is in use, most first: of nodes, and by groups.
Listing ListTopNodesFor(sql::Transaction& transaction,
                        const GetOptions& options);
Listing ListTopGroupsFor(sql::Transaction& transaction,
                         const GetOptions& options, sql::Timestamp now);

// Throws Failure unless all of these are states of a job.
void CheckJobStates(const std::vector<std::string>& states);

// Whether a document is wanted for each row.
bool WantsDocuments(OutputFormat format);

}  // namespace fluxnetes::services

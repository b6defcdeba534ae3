// The output of `get` for any kind of object: a table for people and documents
// for programs, made from one read of the database.
//
// Plain values; the functions read only and throw sql::Error.
// Tests: tests/services/listing/get_pgtest.cc.
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
  // For each row of the table: the output of `-o name`, and a text that changes
  // when the object changes (and not merely with time).
  std::vector<std::string> names;
  std::vector<std::string> fingerprints;
  // An array with one document per row; null unless the output needs it.
  std::shared_ptr<nlohmann::ordered_json> items;
  bool more = false;                        // there are more than the limit
  std::optional<std::int64_t> beyond = {};  // how many more, if known
};

// The groups that the options select, at most `limit` rows (0: all).
GroupFilter FilterOf(const GetOptions& options, sql::Timestamp now);
Listing ListGroupsFor(sql::Transaction& transaction, const GetOptions& options,
                      GroupFilter filter, sql::Timestamp now);
// Leaves the groups that `search` of the options selects, in their order.
// Throws Failure if there is no such order.
void SearchAndSort(std::vector<GroupRow>& groups, const GetOptions& options);

Listing ListNodesFor(sql::Transaction& transaction, const GetOptions& options,
                     sql::Timestamp now);
Listing ListQueuesFor(sql::Transaction& transaction, const GetOptions& options,
                      sql::Timestamp now);
Listing ListAccountsFor(sql::Transaction& transaction,
                        const GetOptions& options);
Listing ListMaintenanceFor(sql::Transaction& transaction,
                           const GetOptions& options, sql::Timestamp now);
Listing ListPoolsFor(sql::Transaction& transaction, const GetOptions& options);
// Changes by users, the newest first.
Listing ListAuditFor(sql::Transaction& transaction, const GetOptions& options);
// The errors of estimated starts.
Listing ListEstimatesFor(sql::Transaction& transaction,
                         const GetOptions& options);
// The loops of the replicas that are alive.
Listing ListLoopsFor(sql::Transaction& transaction, const GetOptions& options,
                     sql::Timestamp now);
Listing ListJobsFor(sql::Transaction& transaction, const GetOptions& options,
                    sql::Timestamp now);

// The amounts in use, largest first: by node, and by group.
Listing ListTopNodesFor(sql::Transaction& transaction,
                        const GetOptions& options);
Listing ListTopGroupsFor(sql::Transaction& transaction,
                         const GetOptions& options, sql::Timestamp now);

// Throws Failure unless all of these are job states.
void CheckJobStates(const std::vector<std::string>& states);

// True if the output needs a document for each row.
bool WantsDocuments(OutputFormat format);

}  // namespace fluxnetes::services

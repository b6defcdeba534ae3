#include <limits>
#include <nlohmann/json.hpp>

#include "services/console/time_text.h"
#include "services/database/audit_queries.h"
#include "services/listing/listing.h"

namespace fluxnetes::services {
namespace {

constexpr std::int64_t kChangesShown = 500;

struct ListedChange {
  explicit ListedChange(const sql::Row& row)
      : id(row.Get<std::int64_t>("id")),
        at(row.Get<sql::Timestamp>("at")),
        caller(row.Get<std::string>("caller")),
        role(row.Get<std::string>("role")),
        via(row.Get<std::string>("via")),
        verb(row.Get<std::string>("verb")),
        object(row.Get<std::string>("object")),
        detail(row.Find<std::string>("detail").value_or("")),
        outcome(row.Find<std::string>("outcome").value_or("")) {}

  std::int64_t id;
  sql::Timestamp at;
  std::string caller, role, via, verb, object, detail, outcome;
};

nlohmann::ordered_json DocumentOf(const ListedChange& change) {
  return {{"id", change.id},          {"at", Rfc3339(change.at)},
          {"caller", change.caller},  {"role", change.role},
          {"via", change.via},        {"verb", change.verb},
          {"object", change.object},  {"detail", change.detail},
          {"outcome", change.outcome}};
}

}  // namespace

Listing ListAuditFor(sql::Transaction& transaction, const GetOptions& options) {
  Listing listing{"AuditList",
                  "changes",
                  Table({"ID", "AT", "CALLER", "VIA", "VERB", "OBJECT",
                         "DETAIL", "OUTCOME"}),
                  {},
                  {},
                  {},
                  false};
  if (WantsDocuments(options.output))
    listing.items = std::make_shared<nlohmann::ordered_json>(
        nlohmann::ordered_json::array());
  const std::int64_t asked =
      options.limit.value_or(listing.items ? 0 : kChangesShown);
  const std::int64_t limit =
      asked == 0 ? std::numeric_limits<std::int64_t>::max() - 1 : asked;
  std::optional<std::string> search = options.search;
  if (search) {
    for (char& c : *search)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  for (const sql::Row row :
       transaction.Run(queries::kListAudit, std::nullopt, std::nullopt,
                       std::nullopt, search, std::nullopt, limit + 1)) {
    if (std::ssize(listing.names) == limit) {
      listing.more = true;
      break;
    }
    const ListedChange change(row);
    listing.names.push_back(std::to_string(change.id));
    listing.fingerprints.push_back(change.outcome);
    listing.table.Add({std::to_string(change.id), Rfc3339(change.at),
                       change.caller, change.via, change.verb, change.object,
                       change.detail, change.outcome});
    if (listing.items) listing.items->push_back(DocumentOf(change));
  }
  return listing;
}

}  // namespace fluxnetes::services

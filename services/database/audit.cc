#include "services/database/audit.h"

#include <pwd.h>
#include <unistd.h>

#include <array>

#include "services/database/audit_queries.h"

namespace fluxnetes::services {
namespace {

constexpr std::size_t kLongestDetail = 4'096;

std::optional<std::string> CutDetail(const std::string& detail) {
  if (detail.empty()) return std::nullopt;
  return detail.substr(0, kLongestDetail);
}

}  // namespace

Actor ProcessActor() {
  std::array<char, 4096> buffer{};
  passwd entry{};
  passwd* found = nullptr;
  getpwuid_r(geteuid(), &entry, buffer.data(), buffer.size(), &found);
  return {.name = found != nullptr ? found->pw_name
                                   : "uid " + std::to_string(geteuid()),
          .role = Role::kOperator,
          .via = "cli"};
}

std::int64_t RecordChange(sql::Transaction& transaction, const Actor& actor,
                          const Change& change) {
  return transaction
      .Run(queries::kRecordChange, actor.name, std::string(NameOf(actor.role)),
           actor.via, change.verb, change.object, CutDetail(change.detail))[0]
      .Get<std::int64_t>("id");
}

void RecordChanges(sql::Transaction& transaction, const Actor& actor,
                   const std::string& verb,
                   const std::vector<std::string>& objects,
                   const std::string& detail) {
  if (objects.empty()) return;
  transaction.Run(queries::kRecordChanges, actor.name,
                  std::string(NameOf(actor.role)), actor.via, verb, objects,
                  CutDetail(detail));
}

void RecordOutcome(sql::Pool& pool, std::int64_t id,
                   const std::string& outcome) {
  sql::RunAlone(pool, queries::kRecordOutcome, id, outcome);
}

}  // namespace fluxnetes::services

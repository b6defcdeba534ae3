#include "services/lists/audit_calls.h"

#include <string>

#include "fluxnetes/v1/audit.pb.h"
#include "services/database/audit_queries.h"
#include "services/feed/group_messages.h"
#include "services/feed/group_requests.h"
#include "services/lists/list_requests.h"

namespace fluxnetes::services {

void ListAuditFor(const v1::ListAuditRequest& request,
                  v1::ListAuditResponse& response,
                  sql::Transaction& transaction) {
  const int size = PageSize(request.page_size());
  for (const sql::Row row : transaction.Run(
           queries::kListAudit, TextIfAny(request.object()),
           TextIfAny(request.caller()), TextIfAny(request.verb()),
           SearchIfAny(request.search()), NumberToken(request.page_token()),
           std::int64_t{size} + 1)) {
    if (response.rows_size() == size) {
      response.set_next_page_token(
          std::to_string(response.rows().rbegin()->id()));
      break;
    }
    v1::AuditRow& change = *response.add_rows();
    change.set_id(row.Get<std::int64_t>("id"));
    Fill(*change.mutable_at(), row.Get<sql::Timestamp>("at"));
    change.set_caller(row.Get<std::string>("caller"));
    change.set_role(row.Get<std::string>("role"));
    change.set_via(row.Get<std::string>("via"));
    change.set_verb(row.Get<std::string>("verb"));
    change.set_object(row.Get<std::string>("object"));
    change.set_detail(row.Find<std::string>("detail").value_or(""));
    change.set_outcome(row.Find<std::string>("outcome").value_or(""));
  }
}

}  // namespace fluxnetes::services

#include "workers/requests/external_groups.h"

#include <nlohmann/json.hpp>

#include "cluster/json/request_json.h"
#include "sql/connection/transaction.h"
#include "sql/faults.h"
#include "workers/loops/group_jobs.h"
#include "workers/requests/external_queries.h"

namespace fluxnetes::workers {
namespace {

using AnswerState = ExternalAnswer::State;

// The identity of a request for nodes; whether a reservation is accepted is no
// part of it.
std::optional<std::string> AskKeyOf(const ExternalAsk& ask,
                                    const std::string& request) {
  if (ask.name.empty()) return std::nullopt;
  return nlohmann::json{ask.namespace_name, ask.name, ask.mark,
                        ask.queue,          ask.pods, request}
      .dump();
}

// The time, in whole seconds, after which the match no longer places the group.
// A reservation may be for any time.
std::optional<cluster::Time> GivenUpAt(const ExternalAsk& ask) {
  if (ask.reserve) return std::nullopt;
  return std::chrono::ceil<std::chrono::seconds>(ask.answer_by) +
         std::chrono::seconds(1);
}

std::vector<ExternalAnswer::Node> NodesIn(
    const std::optional<std::string>& text) {
  std::vector<ExternalAnswer::Node> nodes;
  if (!text) return nodes;
  for (const auto& node : nlohmann::json::parse(*text))
    nodes.push_back(
        {node.at(0).get<std::string>(), node.at(1).get<std::int32_t>()});
  return nodes;
}

}  // namespace

std::optional<ExternalTicket> ExternalGroups::Ask(const ExternalAsk& ask,
                                                  cluster::Time now,
                                                  const Along& along) {
  const std::string request = cluster::ToJson(ask.request);
  const std::optional<std::string> key = AskKeyOf(ask, request);
  const std::optional<std::string> name =
      ask.name.empty() ? std::nullopt : std::optional(ask.name);
  while (true) {
    sql::Transaction transaction(pool_);
    if (!transaction.Run(queries::kQueueExists, ask.queue)[0].Get<bool>("any"))
      return std::nullopt;
    if (key) transaction.Run(queries::kForgetEndedAsks, *key, now);
    const auto made =
        transaction.Run(queries::kMakeExternalGroup, ask.namespace_name, name,
                        ask.queue, ask.pods, request, ask.lifetime.count(),
                        ask.reserve, key, now, GivenUpAt(ask));
    if (!made.empty()) {
      const auto group = made[0].Get<std::int64_t>("id");
      AskForPlaces(transaction, jobs_, {group}, {ask.queue});
      if (along)
        along(transaction, ask.namespace_name,
              made[0].Get<std::string>("group_name"));
      sql::Failpoint("external-before-commit");
      transaction.Commit();
      sql::Failpoint("external-asked");
      return ExternalTicket{group, 1};
    }
    const auto joined = transaction.Run(queries::kJoinExternalGroup, *key);
    if (joined.empty()) continue;  // it was deleted meanwhile
    transaction.Commit();
    return ExternalTicket{joined[0].Get<std::int64_t>("id"),
                          joined[0].Get<std::int32_t>("asks")};
  }
}

ExternalAnswer ExternalGroups::Look(GroupId group) {
  const auto rows = sql::RunAlone(pool_, queries::kReadExternalGroup, group);
  if (rows.empty()) return {AnswerState::kGone};
  const sql::Row row = rows[0];
  if (row.Get<std::string_view>("state") == "allocated")
    return {AnswerState::kAllocated, NodesIn(row.Find<std::string>("nodes"))};
  const auto start = row.Find<std::int64_t>("starts_at");
  if (!row.Get<bool>("promised") || !start) return {AnswerState::kWaits};
  return {AnswerState::kReserved, NodesIn(row.Find<std::string>("reserved")),
          *start};
}

std::optional<std::string> ExternalGroups::NamespaceOf(GroupId group) {
  const auto rows = sql::RunAlone(pool_, queries::kReadExternalGroup, group);
  if (rows.empty()) return std::nullopt;
  return rows[0].Get<std::string>("namespace");
}

void ExternalGroups::Withdraw(const ExternalTicket& ticket) {
  End(ticket, ticket.asks, "its caller ended the call", nullptr);
}

bool ExternalGroups::Cancel(GroupId group, const std::string& reason,
                            const Along& along) {
  return End({group}, std::nullopt, reason, along);
}

bool ExternalGroups::End(const ExternalTicket& ticket, std::optional<int> asks,
                         const std::string& reason, const Along& along) {
  sql::Transaction transaction(pool_);
  const auto ended =
      transaction.Run(queries::kEndExternalGroup, ticket.group, reason, asks);
  if (ended.empty()) return false;
  jobs_.Insert(transaction, std::vector{CancelJob(ticket.group, reason)});
  if (along)
    along(transaction, ended[0].Get<std::string>("namespace"),
          ended[0].Get<std::string>("group_name"));
  transaction.Commit();
  return true;
}

}  // namespace fluxnetes::workers

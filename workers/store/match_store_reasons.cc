// Records beside the decisions why groups wait, and what accounts use and hold:
// see match_store.h.
#include "workers/store/match_queries.h"
#include "workers/store/match_store.h"

namespace fluxnetes::workers {
namespace {

const char* KindName(WaitReason::Kind kind) {
  switch (kind) {
    case WaitReason::Kind::kRoom:
      return "room";
    case WaitReason::Kind::kOrder:
      return "order";
    case WaitReason::Kind::kDepth:
      return "depth";
    case WaitReason::Kind::kPaused:
      return "paused";
    case WaitReason::Kind::kNoQueue:
      return "no queue";
    case WaitReason::Kind::kQuota:
      return "quota";
  }
  return "";
}

}  // namespace

void PostgresMatchStore::CommitReasons(sql::Transaction& transaction,
                                       const std::vector<WaitReason>& reasons,
                                       cluster::Time now) {
  struct Shapes {
    std::vector<std::string> queues, namespaces, accounts;
    std::vector<std::int64_t> shapes;
  };
  Shapes old, said;
  std::vector<std::string> kinds, texts;
  for (const WaitReason& reason : reasons) {
    Shapes& to = reason.reason.empty() ? old : said;
    to.queues.push_back(reason.queue);
    to.shapes.push_back(reason.shape);
    to.namespaces.push_back(reason.namespace_name);
    to.accounts.push_back(reason.account);
    if (reason.reason.empty()) continue;
    kinds.push_back(KindName(reason.kind));
    texts.push_back(reason.reason);
  }
  if (!old.queues.empty()) {
    transaction.Run(queries::kDropWaitReasons, old.queues, old.shapes,
                    old.namespaces, old.accounts);
  }
  if (!said.queues.empty()) {
    transaction.Run(queries::kRecordWaitReasons, said.queues, said.shapes,
                    kinds, texts, now, !first_reasons_, said.namespaces,
                    said.accounts);
  }
}

void PostgresMatchStore::CommitUse(sql::Transaction& transaction,
                                   const std::vector<AccountUse>& used,
                                   cluster::Time now) {
  if (used.empty()) return;
  std::vector<std::string> queues, namespaces, accounts;
  std::vector<double> seconds;
  for (const AccountUse& each : used) {
    queues.push_back(each.payer.queue);
    namespaces.push_back(each.payer.namespace_name);
    accounts.push_back(each.payer.label);
    seconds.push_back(each.used);
  }
  transaction.Run(queries::kRecordAccountUse, queues, namespaces, accounts,
                  seconds, now);
}

void PostgresMatchStore::CommitHolds(sql::Transaction& transaction,
                                     const Names& queues,
                                     const HoldsNews& news) {
  if (news.all) transaction.Run(queries::kDropAccountHolds, queues);
  Names said, namespaces, accounts, resources;
  std::vector<std::int64_t> amounts;
  for (const auto& [payer, holds] : news.holds) {
    for (const auto& [resource, amount] : holds) {
      said.push_back(payer.queue);
      namespaces.push_back(payer.namespace_name);
      accounts.push_back(payer.label);
      resources.push_back(resource);
      amounts.push_back(amount);
    }
  }
  if (said.empty()) return;
  transaction.Run(queries::kRecordAccountHolds, said, namespaces, accounts,
                  resources, amounts);
}

}  // namespace fluxnetes::workers

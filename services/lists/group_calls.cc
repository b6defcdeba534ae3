#include "services/lists/group_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "fluxnetes/v1/scheduler.pb.h"
#include "services/feed/group_messages.h"
#include "services/feed/group_requests.h"
#include "services/grpc/grpc_calls.h"
#include "services/lists/lists_queries.h"
#include "services/records/group_changes.h"
#include "services/records/group_pages.h"
#include "services/records/group_search.h"

namespace fluxnetes::services {
namespace {

constexpr int kMostChanged = 1'000;
// A page ends with the group that exceeds this size.
constexpr std::size_t kLargestList = std::size_t{2} << 20U;

v1::Group Decoded(const FeedEntry& entry) {
  v1::WatchGroupsResponse answer;
  if (!answer.ParseFromString(entry.encoded) || answer.groups().empty())
    throw std::logic_error("a group in memory cannot be read");
  return std::move(*answer.mutable_groups(0));
}

// Refused groups that the query selects, behind the place.
std::vector<GroupRow> RefusedRows(const v1::ListGroupsRequest& request,
                                  const GroupPlace& place, std::size_t limit,
                                  sql::Transaction& transaction) {
  if (!request.node().empty() || !request.account().empty()) return {};
  const GroupPageFilter filter = FilterIn(request, {});
  if (!WantsRefused(filter)) return {};
  const std::string search = LowerCase(request.search());
  std::vector<GroupRow> rows = ReadRefusedPage(
      transaction, filter, place.namespace_name, place.name, std::nullopt);
  std::erase_if(rows, [&search](const GroupRow& row) {
    return SearchedText(row).find(search) == std::string::npos;
  });
  if (rows.size() > limit) rows.resize(limit);
  return rows;
}

// Adds groups until the page is full; knows where the next page begins.
class ListPage {
 public:
  ListPage(v1::ListGroupsResponse& response, int size)
      : response_(response), size_(static_cast<std::size_t>(size)) {}

  // At most so many are of use: one more than fit says that there are more.
  std::size_t Room() const { return size_ + 1 - added_; }

  // Returns false if the page is full, which then has a token.
  bool Add(v1::Group group, std::string token) {
    if (added_ == size_ || bytes_ > kLargestList) {
      response_.set_next_page_token(last_);
      return false;
    }
    bytes_ += group.ByteSizeLong();
    *response_.add_groups() = std::move(group);
    last_ = std::move(token);
    ++added_;
    return true;
  }

 private:
  v1::ListGroupsResponse& response_;
  const std::size_t size_;
  std::size_t added_ = 0;
  std::size_t bytes_ = 0;
  std::string last_;
};

struct NamedGroup {
  GroupName name;
  std::int64_t groups = 0;
};

std::map<std::int64_t, NamedGroup> NamesOf(const std::vector<std::int64_t>& ids,
                                           sql::Pool& pool) {
  sql::Transaction transaction(pool, sql::Isolation::kReadOnly);
  std::map<std::int64_t, NamedGroup> names;
  for (const sql::Row row : transaction.Run(queries::kNamesOfGroups, ids))
    names[row.Get<std::int64_t>("id")] = {
        {row.Get<std::string>("namespace"), row.Get<std::string>("group_name")},
        row.Get<std::int64_t>("groups")};
  return names;
}

std::string WhyNotHeld(workers::HoldOutcome outcome) {
  switch (outcome) {
    case workers::HoldOutcome::kDone:
      return {};
    case workers::HoldOutcome::kStarted:
      return "it runs already, or has its nodes";
    case workers::HoldOutcome::kNotHeld:
      return "it is not held";
    case workers::HoldOutcome::kUnknown:
      break;
  }
  return "it has ended";
}

// Returns why the group was not changed; empty: it was.
std::string ChangeOne(const v1::ChangeGroupsRequest& request,
                      const GroupName& name, sql::Pool& pool,
                      const Principal& caller, const Actor& actor,
                      sql::Timestamp now) {
  switch (request.action()) {
    case v1::GROUP_ACTION_HOLD:
      return WhyNotHeld(HoldGroup(pool, actor, name, request.reason(), now));
    case v1::GROUP_ACTION_RELEASE:
      return WhyNotHeld(ReleaseGroup(pool, actor, name, now));
    case v1::GROUP_ACTION_CANCEL:
      return CancelGroup(pool, actor, name,
                         request.reason().empty() ? "cancelled by " + actor.name
                                                  : request.reason(),
                         now) > 0
                 ? ""
                 : "it is being cancelled already";
    default: {
      const auto change =
          SetPriority(pool, actor, name,
                      {.priority = request.has_priority()
                                       ? std::optional(request.priority())
                                       : std::nullopt,
                       .reason = request.reason(),
                       .may_raise = caller.MayOperate()});
      return WhyNot(change, name);
    }
  }
}

}  // namespace

void ListGroupsFromMemory(const v1::ListGroupsRequest& request,
                          v1::ListGroupsResponse& response, GroupIndex& index,
                          sql::Transaction& transaction) {
  if (request.finished_within_seconds() != 0)
    throw GrpcRefusal(GrpcCode::kInvalidArgument,
                      "finished groups are in the order of their ids alone; "
                      "right would be no finished_within_seconds, or "
                      "ListHistory",
                      "finished_within_seconds");
  const ListOrder order = OrderIn(request);
  const GroupQuery query = QueryIn(request);
  ListPage page(response, PageSize(request.page_size()));
  const std::string& token = request.page_token();
  std::optional<FeedEntry> behind;
  if (token.starts_with("o/")) {
    behind = PlaceInOrder(order, token);
  } else {
    for (const GroupRow& row : RefusedRows(request, GroupPlace::Of(token),
                                           page.Room(), transaction)) {
      v1::Group group;
      Fill(group, row);
      if (!page.Add(std::move(group), GroupPlace::Behind(row).Token())) return;
    }
  }
  for (const FeedEntryPtr& entry :
       index.Page(query, order, behind ? &*behind : nullptr, page.Room()))
    if (!page.Add(Decoded(*entry), OrderToken(order, *entry))) return;
}

void CountGroupsFor(const v1::CountGroupsRequest& request,
                    v1::CountGroupsResponse& response, GroupIndex& index,
                    sql::Timestamp now) {
  for (const auto& [key, groups] : index.Count(QueryIn(request))) {
    v1::GroupCount& count = *response.add_counts();
    count.set_state(static_cast<v1::GroupState>(key.first));
    count.set_shown_state(key.second);
    count.set_groups(groups);
  }
  Fill(*response.mutable_as_of(), now);
}

void ChangeGroupsFor(const v1::ChangeGroupsRequest& request,
                     v1::ChangeGroupsResponse& response, sql::Pool& pool,
                     const Principal& caller, const Actor& actor,
                     sql::Timestamp now) {
  if (request.action() == v1::GROUP_ACTION_UNSPECIFIED ||
      !v1::GroupAction_IsValid(request.action()))
    throw GrpcRefusal(GrpcCode::kInvalidArgument,
                      "action is none; right would be GROUP_ACTION_HOLD, "
                      "_RELEASE, _CANCEL or _SET_PRIORITY",
                      "action");
  if (request.ids_size() < 1 || request.ids_size() > kMostChanged)
    throw GrpcRefusal(GrpcCode::kInvalidArgument,
                      fmt::format("ids has {} groups; right would be 1 to {}",
                                  request.ids_size(), kMostChanged),
                      "ids");
  const std::vector<std::int64_t> ids(request.ids().begin(),
                                      request.ids().end());
  const auto names = NamesOf(ids, pool);
  for (const auto& [id, named] : names)
    Require(caller.MayChange(named.name.namespace_name),
            fmt::format("{} may change nothing in the namespace {}; no group "
                        "was changed",
                        caller.name, named.name.namespace_name));
  for (const std::int64_t id : ids) {
    v1::ChangedGroup& changed = *response.add_groups();
    changed.set_id(id);
    const auto known = names.find(id);
    if (known == names.end()) {
      changed.set_why("it has ended");
    } else if (known->second.groups > 1) {
      changed.set_why(fmt::format(
          "{} unfinished groups have the name {}; right would be a call that "
          "names it",
          known->second.groups, known->second.name.Text()));
    } else {
      changed.set_why(
          ChangeOne(request, known->second.name, pool, caller, actor, now));
    }
    changed.set_done(changed.why().empty());
  }
}

std::string WhyNot(const workers::PriorityChange& change,
                   const GroupName& name) {
  switch (change.outcome) {
    case workers::PriorityOutcome::kDone:
      return {};
    case workers::PriorityOutcome::kStarted:
      return fmt::format(
          "group \"{}\" runs already, or has its nodes: its priority no longer "
          "counts",
          name.Text());
    case workers::PriorityOutcome::kTooHigh:
      return fmt::format(
          "only an operator may raise the priority of group \"{}\" above {}, "
          "that of its pods",
          name.Text(), change.of_pods);
    case workers::PriorityOutcome::kUnknown:
      break;
  }
  return fmt::format("no unfinished group named \"{}\"", name.Text());
}

}  // namespace fluxnetes::services

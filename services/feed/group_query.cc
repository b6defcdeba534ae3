#include "services/feed/group_query.h"

#include <algorithm>
#include <tuple>

#include "fluxnetes/v1/group.pb.h"

namespace fluxnetes::services {
namespace {

template <typename Value>
std::strong_ordering CompareValues(const Value& a, const Value& b) {
  return a <=> b;
}

// Descending as asked, but what has no value is last.
template <typename Value>
std::strong_ordering CompareMaybe(const std::optional<Value>& a,
                                  const std::optional<Value>& b,
                                  bool descending) {
  if (a.has_value() != b.has_value())
    return a.has_value() ? std::strong_ordering::less
                         : std::strong_ordering::greater;
  if (!a) return std::strong_ordering::equal;
  return descending ? *b <=> *a : *a <=> *b;
}

std::strong_ordering CompareBy(const ListOrder& order, const FeedEntry& a,
                               const FeedEntry& b) {
  if (order.by == v1::GROUP_ORDER_START)
    return CompareMaybe(a.start_us, b.start_us, order.descending);
  if (order.by == v1::GROUP_ORDER_PRIORITY)
    return CompareMaybe(a.priority, b.priority, order.descending);
  const FeedEntry& first = order.descending ? b : a;
  const FeedEntry& second = order.descending ? a : b;
  switch (order.by) {
    case v1::GROUP_ORDER_NAME:
      return CompareValues(std::tie(first.namespace_name, first.name),
                           std::tie(second.namespace_name, second.name));
    case v1::GROUP_ORDER_SUBMITTED:
      return first.submitted_us <=> second.submitted_us;
    case v1::GROUP_ORDER_SIZE:
      return first.size <=> second.size;
    case v1::GROUP_ORDER_QUEUE:
      return first.queue <=> second.queue;
    case v1::GROUP_ORDER_STATE:
      return first.shown_state <=> second.shown_state;
    default:
      return first.id <=> second.id;
  }
}

}  // namespace

bool GroupQuery::Selects(const FeedEntry& entry) const {
  if (entry.over) return false;
  const auto is = [](const std::string& asked, const std::string& value) {
    return asked.empty() || asked == value;
  };
  if (!is(namespace_name, entry.namespace_name) || !is(queue, entry.queue) ||
      !is(account, entry.account))
    return false;
  if (!states.empty() && std::ranges::find(states, entry.state) == states.end())
    return false;
  if (!node.empty() &&
      std::ranges::find(entry.nodes, node) == entry.nodes.end())
    return false;
  return search.empty() || entry.searched.find(search) != std::string::npos;
}

bool GroupQuery::IsOfCounters() const {
  return search.empty() && node.empty() && account.empty();
}

bool ComesBefore(const ListOrder& order, const FeedEntry& a,
                 const FeedEntry& b) {
  const auto compared = CompareBy(order, a, b);
  return compared == std::strong_ordering::equal ? a.id < b.id : compared < 0;
}

}  // namespace fluxnetes::services

#include "services/feed/group_requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "fluxnetes/v1/scheduler.pb.h"
#include "services/feed/group_messages.h"

namespace fluxnetes::services {
namespace {

constexpr int kPage = 500;
constexpr int kLargestPage = 1'000;
constexpr std::int64_t kLongestBack = std::int64_t{10} * 366 * 86'400;

GrpcRefusal WrongToken() {
  return {GrpcCode::kInvalidArgument,
          "page_token is none of ours; right would be the next_page_token of "
          "an answer",
          "page_token"};
}

std::optional<std::string> Unless(bool empty, const std::string& text) {
  return empty ? std::nullopt : std::optional(text);
}

template <typename Number>
Number NumberIn(const std::string& text) {
  Number number{};
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  if (error != std::errc() || end != last) throw WrongToken();
  return number;
}

}  // namespace

std::string GroupPlace::Token() const {
  return refused ? "r/" + namespace_name + "/" + name
                 : "g/" + std::to_string(id);
}

GroupPlace GroupPlace::Of(const std::string& token) {
  GroupPlace place;
  if (token.empty()) return place;
  const std::string rest = token.substr(std::min<std::size_t>(2, token.size()));
  if (token.starts_with("r/")) {
    const std::size_t slash = rest.find('/');
    if (slash == std::string::npos) throw WrongToken();
    place.namespace_name = rest.substr(0, slash);
    place.name = rest.substr(slash + 1);
    return place;
  }
  place.refused = false;
  const char* const last = rest.data() + rest.size();
  const auto [end, error] = std::from_chars(rest.data(), last, place.id);
  if (!token.starts_with("g/") || error != std::errc() || end != last ||
      place.id < 0)
    throw WrongToken();
  return place;
}

GroupPlace GroupPlace::Behind(const GroupRow& row) {
  if (row.id == 0)
    return {.refused = true,
            .namespace_name = row.namespace_name,
            .name = row.name};
  return {.refused = false, .namespace_name = "", .name = "", .id = row.id};
}

int PageSize(int asked) {
  if (asked < 0 || asked > kLargestPage)
    throw GrpcRefusal(
        GrpcCode::kInvalidArgument,
        fmt::format("page_size is {}; right would be 1 to {}, or 0 for {}",
                    asked, kLargestPage, kPage),
        "page_size");
  return asked == 0 ? kPage : asked;
}

std::vector<int> CheckedStates(std::vector<int> states) {
  for (const int state : states)
    if (StateName(state).empty())
      throw GrpcRefusal(GrpcCode::kInvalidArgument,
                        fmt::format("{} is no state of a group", state),
                        "states");
  return states;
}

ListOrder OrderIn(const v1::ListGroupsRequest& request) {
  if (!v1::GroupOrder_IsValid(request.order()))
    throw GrpcRefusal(GrpcCode::kInvalidArgument,
                      fmt::format("{} is no order of groups",
                                  static_cast<int>(request.order())),
                      "order");
  return {.by = request.order(), .descending = request.descending()};
}

bool IsFromMemory(const v1::ListGroupsRequest& request) {
  return request.order() != v1::GROUP_ORDER_UNSPECIFIED ||
         request.descending() || !request.search().empty() ||
         !request.node().empty() || !request.account().empty();
}

// "o/ID/VALUE"; a name is "NAMESPACE/NAME".
std::string OrderToken(const ListOrder& order, const FeedEntry& last) {
  const auto text = [](const auto& value) {
    return value ? std::to_string(*value) : std::string();
  };
  std::string value;
  switch (order.by) {
    case v1::GROUP_ORDER_NAME:
      value = last.namespace_name + "/" + last.name;
      break;
    case v1::GROUP_ORDER_SUBMITTED:
      value = std::to_string(last.submitted_us);
      break;
    case v1::GROUP_ORDER_START:
      value = text(last.start_us);
      break;
    case v1::GROUP_ORDER_SIZE:
      value = std::to_string(last.size);
      break;
    case v1::GROUP_ORDER_PRIORITY:
      value = text(last.priority);
      break;
    case v1::GROUP_ORDER_QUEUE:
      value = last.queue;
      break;
    case v1::GROUP_ORDER_STATE:
      value = last.shown_state;
      break;
    default:
      break;
  }
  return fmt::format("o/{}/{}", last.id, value);
}

FeedEntry PlaceInOrder(const ListOrder& order, const std::string& token) {
  FeedEntry place;
  const std::size_t slash = token.find('/', 2);
  if (!token.starts_with("o/") || slash == std::string::npos)
    throw WrongToken();
  place.id = NumberIn<std::int64_t>(token.substr(2, slash - 2));
  const std::string value = token.substr(slash + 1);
  switch (order.by) {
    case v1::GROUP_ORDER_NAME: {
      const std::size_t middle = value.find('/');
      if (middle == std::string::npos) throw WrongToken();
      place.namespace_name = value.substr(0, middle);
      place.name = value.substr(middle + 1);
      break;
    }
    case v1::GROUP_ORDER_SUBMITTED:
      place.submitted_us = NumberIn<std::int64_t>(value);
      break;
    case v1::GROUP_ORDER_START:
      if (!value.empty()) place.start_us = NumberIn<std::int64_t>(value);
      break;
    case v1::GROUP_ORDER_SIZE:
      place.size = NumberIn<int>(value);
      break;
    case v1::GROUP_ORDER_PRIORITY:
      if (!value.empty()) place.priority = NumberIn<std::int32_t>(value);
      break;
    case v1::GROUP_ORDER_QUEUE:
      place.queue = value;
      break;
    case v1::GROUP_ORDER_STATE:
      place.shown_state = value;
      break;
    default:
      break;
  }
  return place;
}

GroupPageFilter FilterIn(const v1::ListGroupsRequest& request,
                         sql::Timestamp now) {
  GroupPageFilter filter;
  filter.namespace_name =
      Unless(request.namespace_().empty(), request.namespace_());
  filter.queue = Unless(request.queue().empty(), request.queue());
  for (const int state :
       CheckedStates({request.states().begin(), request.states().end()}))
    filter.states.push_back(StateName(state));
  const std::int64_t within = request.finished_within_seconds();
  if (within < 0 || within > kLongestBack)
    throw GrpcRefusal(GrpcCode::kInvalidArgument,
                      fmt::format("finished_within_seconds is {}; right would "
                                  "be 0 to {}",
                                  within, kLongestBack),
                      "finished_within_seconds");
  if (within > 0) filter.finished_since = now - std::chrono::seconds(within);
  return filter;
}

}  // namespace fluxnetes::services

#include "services/grpc_v1/group_requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "fluxnetes/v1/scheduler.pb.h"
#include "services/grpc_v1/group_messages.h"

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

GroupPageFilter FilterIn(const v1::ListGroupsRequest& request,
                         sql::Timestamp now) {
  GroupPageFilter filter;
  filter.namespace_name =
      Unless(request.namespace_().empty(), request.namespace_());
  filter.queue = Unless(request.queue().empty(), request.queue());
  for (const int state : request.states()) {
    filter.states.push_back(StateName(state));
    if (filter.states.back().empty())
      throw GrpcRefusal(GrpcCode::kInvalidArgument,
                        fmt::format("{} is no state of a group", state),
                        "states");
  }
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

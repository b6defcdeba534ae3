// Requests of fluxnetes.v1 about groups, parsed and checked; invalid input
// throws GrpcRefusal with the field's name.
// Tests: tests/services/grpc_v1/grpc_scheduler_pgtest.cc,
// tests/services/grpc/grpc_access_test.cc.
#pragma once

#include <cstdint>
#include <string>

#include "services/feed/group_query.h"
#include "services/grpc/grpc_calls.h"
#include "services/records/group_name.h"
#include "services/records/group_pages.h"
#include "services/records/group_search.h"

namespace fluxnetes::v1 {
class ListGroupsRequest;
}

namespace fluxnetes::services {

// The position at which a page of groups begins: after a refused group, or
// after an id.
struct GroupPlace {
  bool refused = true;
  std::string namespace_name;
  std::string name;
  std::int64_t id = 0;

  // Converts to and from a page token. An empty token is the beginning.
  std::string Token() const;
  static GroupPlace Of(const std::string& token);
  static GroupPlace Behind(const GroupRow& row);

  bool operator==(const GroupPlace&) const = default;
};

// Returns the number of groups for a request's page_size; 0 is the default.
int PageSize(int asked);

GroupPageFilter FilterIn(const v1::ListGroupsRequest& request,
                         sql::Timestamp now);

// The order of the request, by its number; throws if there is no such order.
ListOrder OrderIn(const v1::ListGroupsRequest& request);

// True if the list comes from memory: its order is not that by id, or it has a
// search, node or account.
bool IsFromMemory(const v1::ListGroupsRequest& request);

// A place in a list in an order: what it goes by of the last group, and its id.
std::string OrderToken(const ListOrder& order, const FeedEntry& last);
FeedEntry PlaceInOrder(const ListOrder& order, const std::string& token);

// Returns the states; throws if one is none.
std::vector<int> CheckedStates(std::vector<int> states);

// For requests with the fields namespace, queue, search, node and account, and
// perhaps states.
template <typename Request>
GroupQuery QueryIn(const Request& request) {
  GroupQuery query{.namespace_name = request.namespace_(),
                   .queue = request.queue(),
                   .states = {},
                   .search = LowerCase(request.search()),
                   .node = request.node(),
                   .account = request.account()};
  if constexpr (requires { request.states(); })
    query.states =
        CheckedStates({request.states().begin(), request.states().end()});
  return query;
}

// For requests with the fields name and namespace.
template <typename Request>
GroupName NameIn(const Request& request) {
  if (request.name().empty())
    throw GrpcRefusal(GrpcCode::kInvalidArgument,
                      "name is empty; right would be the name of a group",
                      "name");
  return {request.namespace_().empty() ? "default" : request.namespace_(),
          request.name()};
}

}  // namespace fluxnetes::services

// Requests of fluxnetes.v1 about groups, parsed and checked; invalid input
// throws GrpcRefusal with the field's name.
// Tests: tests/services/grpc_v1/grpc_scheduler_pgtest.cc,
// tests/services/grpc/grpc_access_test.cc.
#pragma once

#include <cstdint>
#include <string>

#include "services/grpc/grpc_calls.h"
#include "services/records/group_name.h"
#include "services/records/group_pages.h"

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

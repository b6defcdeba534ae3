// What requests of fluxnetes.v1 about groups say, checked: bad input becomes a
// GrpcRefusal that names the field.
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

// Where a page of groups begins: behind a refused group, or behind an id.
struct GroupPlace {
  bool refused = true;
  std::string namespace_name;
  std::string name;
  std::int64_t id = 0;

  // As a page token. An empty one is the beginning.
  std::string Token() const;
  static GroupPlace Of(const std::string& token);
  static GroupPlace Behind(const GroupRow& row);

  bool operator==(const GroupPlace&) const = default;
};

// Those of a request's page_size; 0 is what we like.
int PageSize(int asked);

GroupPageFilter FilterIn(const v1::ListGroupsRequest& request,
                         sql::Timestamp now);

// Of a request that has both fields.
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

// The server side of WatchGroups: a gRPC reactor that asks the feed for the
// next piece when the previous one has been written and when the feed rings.
// Tests: tests/services/feed/group_watch_pgtest.cc.
#pragma once

#include "services/feed/group_feed.h"

namespace grpc {
class ByteBuffer;
class CallbackServerContext;
template <class W>
class ServerWriteReactor;
}  // namespace grpc

namespace fluxnetes::v1 {
class WatchGroupsRequest;
}

namespace fluxnetes::services {

// Where a watch begins. Throws GrpcRefusal with the field's name if the request
// is invalid.
GroupFeed::Place PlaceOf(const v1::WatchGroupsRequest& request);

// The reactor belongs to the call and ends with it. The request is the call's.
grpc::ServerWriteReactor<grpc::ByteBuffer>* StartGroupWatch(
    GroupFeed& feed, grpc::CallbackServerContext& context,
    const grpc::ByteBuffer& request);

}  // namespace fluxnetes::services

// The server side of WatchGroups: a gRPC reactor that asks the feed for the
// next piece when the previous one has been written and when the feed rings.
#pragma once

#include "services/grpc_v1/group_feed.h"

namespace grpc {
class ByteBuffer;
class CallbackServerContext;
template <class W>
class ServerWriteReactor;
}  // namespace grpc

namespace fluxnetes::services {

// The reactor belongs to the call and ends with it. The request is the call's.
grpc::ServerWriteReactor<grpc::ByteBuffer>* StartGroupWatch(
    GroupFeed& feed, grpc::CallbackServerContext& context,
    const grpc::ByteBuffer& request);

}  // namespace fluxnetes::services

// A call of WatchGroups: one of gRPC's reactors, which asks the feed for the
// next piece when the one before has been written, and when the feed rings.
#pragma once

#include "services/grpc_v1/group_feed.h"

namespace grpc {
class ByteBuffer;
class CallbackServerContext;
template <class W>
class ServerWriteReactor;
}  // namespace grpc

namespace fluxnetes::services {

// Belongs to the call and ends with it. The request is that of the call.
grpc::ServerWriteReactor<grpc::ByteBuffer>* StartGroupWatch(
    GroupFeed& feed, grpc::CallbackServerContext& context,
    const grpc::ByteBuffer& request);

}  // namespace fluxnetes::services

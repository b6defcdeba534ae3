// Any bytes sent as a request of fluxnetes.v1 either are refused as not a
// message, or with the invalid field, or give a filter and a page token that
// mean the same when they are sent back.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "cluster/files/manifest.h"
#include "fluxnetes/v1/scheduler.pb.h"
#include "services/feed/group_requests.h"

namespace {

using fluxnetes::services::GroupPlace;
using fluxnetes::services::GrpcRefusal;
namespace v1 = fluxnetes::v1;

template <typename Message>
bool Parse(const std::string& bytes, Message& message) {
  return message.ParseFromString(bytes);
}

void CheckList(const v1::ListGroupsRequest& request) {
  const auto filter = fluxnetes::services::FilterIn(request, {});
  if (filter.states.size() != static_cast<std::size_t>(request.states_size()))
    std::abort();
  const int size = fluxnetes::services::PageSize(request.page_size());
  if (size < 1 || size > 1'000) std::abort();
  const GroupPlace place = GroupPlace::Of(request.page_token());
  if (GroupPlace::Of(place.Token()) != place) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  if (size == 0) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    if (data[0] % 3 == 0) {
      v1::ListGroupsRequest request;
      if (Parse(bytes, request)) CheckList(request);
    } else if (data[0] % 3 == 1) {
      v1::CancelGroupRequest request;
      if (!Parse(bytes, request)) return 0;
      const auto name = fluxnetes::services::NameIn(request);
      if (name.name.empty() || name.namespace_name.empty()) std::abort();
    } else {
      v1::SubmitRequest request;
      if (Parse(bytes, request))
        fluxnetes::cluster::ReadManifests(request.manifests(), "manifests");
    }
  } catch (const GrpcRefusal& refusal) {
    if (refusal.field().empty()) std::abort();
  } catch (const fluxnetes::cluster::InputError&) {
  }
  return 0;
}

#include "cluster/kubernetes/claim_calls.h"

#include <utility>

#include "cluster/devices/claim_decoder.h"
#include "cluster/json/watch_line.h"
#include "cluster/kubernetes/api_path.h"

namespace fluxnetes::cluster {
namespace {

constexpr ApiResource kClaimResource{
    "ResourceClaim", "/apis/resource.k8s.io/v1", "resourceclaims"};
constexpr int kMostConflicts = 5;

}  // namespace

HttpRequest ClaimCalls::RequestFor(const Work& work,
                                   const ClaimPatch& patch) const {
  const std::string path =
      PathOf(kClaimResource, work.now.namespace_name, work.now.name);
  HttpRequest request =
      work.reads ? request_("GET", path, "")
                 : request_("PATCH", path + (patch.status ? "/status" : ""),
                            patch.body);
  if (!work.reads)
    request.content_type = "application/strategic-merge-patch+json";
  request.accept = encoding_.Object();
  return request;
}

bool ClaimCalls::Take(const HttpResponse& response, Work& work,
                      ClaimResult& result) {
  if (IsAway(response)) {
    ThrowUnreachable("writing the claim " + Key(work.now), response);
  }
  if (response.Succeeded()) {
    ResourceClaim now;
    encoding_.Read(response, [&now](const EncodedValue& object) {
      now = DecodeResourceClaim(object);
    });
    if (now.uid != work.now.uid) {
      result = {ClaimOutcome::kGone, "another claim has this name now"};
      return false;
    }
    work.now = std::move(now);
    work.reads = false;
    work.fresh = true;
    return true;
  }
  if (response.status == 404) {
    result = {ClaimOutcome::kGone, ReadStatusMessage(response.body)};
    return false;
  }
  if (IsRefused(response)) {
    result = {ClaimOutcome::kRefused, ReadStatusMessage(response.body)};
    return false;
  }
  work.reads = true;
  if (++work.conflicts < kMostConflicts) return true;
  result = {ClaimOutcome::kConflict, ReadStatusMessage(response.body)};
  return false;
}

std::vector<ClaimResult> ClaimCalls::Write(const Claims& claims,
                                           const Next& next) {
  std::vector<ClaimResult> results(claims.size());
  std::vector<Work> open;
  for (std::size_t i = 0; i < claims.size(); ++i)
    open.push_back({.number = i, .now = *claims[i]});
  while (!open.empty()) {
    std::vector<Work> asking;
    std::vector<HttpRequest> requests;
    for (Work& work : open) {
      ClaimPatch patch;
      if (!work.reads) {
        auto step = next(work.number, work.now);
        if (auto* const result = std::get_if<ClaimResult>(&step)) {
          if (work.fresh) {
            results[work.number] = std::move(*result);
            continue;
          }
          work.reads = true;
        } else {
          patch = std::get<ClaimPatch>(std::move(step));
        }
      }
      requests.push_back(RequestFor(work, patch));
      asking.push_back(std::move(work));
    }
    const auto answers = client_.SendAll(std::move(requests));
    open.clear();
    for (std::size_t i = 0; i < asking.size(); ++i) {
      if (Take(answers[i], asking[i], results[asking[i].number]))
        open.push_back(std::move(asking[i]));
    }
  }
  return results;
}

}  // namespace fluxnetes::cluster

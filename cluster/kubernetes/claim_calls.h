// Sends the patches that claims of devices need (devices/claim_changes.h),
// those of all claims side by side:
//
//   patch ─▶ answered: the next patch of the claim, until it needs none
//        └─▶ conflict: the claim is read again; then as above
//
// If there is nothing to do by what was last seen, the claim is read first.
//
// Tests: tests/kubernetes/door_claims_kubetest.cc.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "cluster/devices/claim_changes.h"
#include "cluster/http/http_client.h"
#include "cluster/kubernetes/api_answer.h"

namespace fluxnetes::cluster {

class ClaimCalls {
 public:
  using Claims = std::vector<std::shared_ptr<const ResourceClaim>>;
  // Makes the request of this method, path and body.
  using Request = std::function<HttpRequest(
      const std::string& method, const std::string& path, std::string body)>;
  // The next patch of the claim of this number.
  using Next = std::function<std::variant<ClaimResult, ClaimPatch>(
      std::size_t number, const ResourceClaim& now)>;

  ClaimCalls(HttpClient& client, ApiEncoding& encoding, Request request)
      : client_(client), encoding_(encoding), request_(std::move(request)) {}

  // Returns one result per claim. Throws Unreachable.
  std::vector<ClaimResult> Write(const Claims& claims, const Next& next);

 private:
  struct Work {
    std::size_t number = 0;
    ResourceClaim now;
    bool reads = false;  // it is to be read again
    bool fresh = false;  // `now` is an answer of the server
    int conflicts = 0;
  };

  HttpRequest RequestFor(const Work& work, const ClaimPatch& patch) const;
  // Returns true if the claim needs another request.
  bool Take(const HttpResponse& response, Work& work, ClaimResult& result);

  HttpClient& client_;
  ApiEncoding& encoding_;
  const Request request_;
};

}  // namespace fluxnetes::cluster

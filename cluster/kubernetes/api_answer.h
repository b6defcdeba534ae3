// What an answer of the API server to a request means.
// Tests: tests/cluster/kubernetes/kubernetes_cluster_test.cc.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "cluster/http/http_client.h"

namespace fluxnetes::cluster {

// Whether there is no answer to rely on: no response, overload, failure.
// Includes 401: an expired token is renewed.
bool IsAway(const HttpResponse& response);

// Whether a patch with a UID met another object of the same name (seen on 1.36:
// the error is that it may not change metadata.uid).
bool IsOfAnother(const HttpResponse& response);

// Whether the answer is final and the request was not done.
bool IsRefused(const HttpResponse& response);

// Throws Refused or Unreachable (cluster.h), with `what` was being done.
[[noreturn]] void ThrowUnreachable(const std::string& what,
                                   const HttpResponse& response);

// The object in the answer; discarded JSON if there is none.
nlohmann::json ParseObject(const HttpResponse& response);

}  // namespace fluxnetes::cluster

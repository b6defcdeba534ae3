// What an answer of the API server to a request means, and in which encoding it
// is.
// Tests: tests/cluster/kubernetes/kubernetes_cluster_test.cc.
#pragma once

#include <atomic>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "cluster/http/http_client.h"
#include "cluster/objects/pod.h"
#include "cluster/protobuf/encoded_value.h"

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

// The encoding of bodies and answers: Protobuf, with JSON where the server has
// none; or JSON alone, once the server has refused Protobuf, or sent some that
// cannot be read. Thread-safe.
class ApiEncoding {
 public:
  explicit ApiEncoding(bool protobuf) : protobuf_(protobuf) {}

  bool IsProtobuf() const { return protobuf_; }
  void GiveUpProtobuf() { protobuf_ = false; }

  // For HttpRequest::accept: the object; or its metadata alone, which the
  // server does not do for every answer (k8s.io/apimachinery,
  // pkg/apis/meta/v1: PartialObjectMetadata).
  std::string Object() const;
  std::string Metadata() const;

  // Calls `read` with the object in the answer; null if there is none. Throws
  // Unreachable if it cannot be read; asked for again, it comes in JSON.
  void Read(const HttpResponse& answer,
            const std::function<void(const EncodedValue&)>& read);
  Pod ReadPod(const HttpResponse& answer);

 private:
  std::atomic<bool> protobuf_;
};

}  // namespace fluxnetes::cluster

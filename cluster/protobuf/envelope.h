// What Kubernetes puts around objects in Protobuf. (Kubernetes API concepts:
// "Protobuf encoding"; k8s.io/apimachinery, pkg/runtime: Unknown, and
// pkg/apis/meta/v1: WatchEvent.)
//
//   an object:        "k8s\0" Unknown{kind, raw: the object's message}
//   a stream's frame: WatchEvent{type, object: {raw: an object as above}}
//
// What opens throws WireError. What it returns refers to the given bytes.
// Tests: tests/cluster/protobuf/envelope_test.cc.
#pragma once

#include <string>
#include <string_view>

#include "cluster/protobuf/encoded_value.h"

namespace fluxnetes::cluster {

inline constexpr const char* kProtobufType =
    "application/vnd.kubernetes.protobuf";

// Whether an answer is in Protobuf: no JSON begins as it does.
bool IsProtobuf(std::string_view body);

struct EnvelopedObject {
  std::string kind;
  EncodedValue value;
};
// Only of the kinds of FieldsOfKind().
EnvelopedObject OpenEnvelope(std::string_view body);
// An object with this message.
std::string WriteEnvelope(std::string_view api_version, std::string_view kind,
                          std::string_view message);

struct WatchFrame {
  std::string type;  // ADDED, ...
  EnvelopedObject object;
};
WatchFrame OpenWatchFrame(std::string_view frame);

}  // namespace fluxnetes::cluster

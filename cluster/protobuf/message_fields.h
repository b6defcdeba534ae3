// The fields of Kubernetes' messages that the decoders of objects read, with
// their names in JSON and their numbers in Protobuf; what is not here is passed
// over. They are the same from Kubernetes 1.34 to 1.36: numbers never change
// (k8s.io/api/core/v1/generated.proto; k8s.io/apimachinery,
// pkg/apis/meta/v1/generated.proto).
// Tests: tests/cluster/protobuf/both_encodings_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace fluxnetes::cluster {

struct MessageFields;

struct MessageField {
  enum class Type {
    kText,
    kFlag,
    kInteger,
    kTime,
    kQuantity,
    kRaw,  // a RawExtension, of JSON
    kMessage
  };
  enum class Shape { kOne, kList, kMap };  // the keys of a map are texts

  std::string_view name;
  std::uint32_t number = 0;
  Type type = Type::kText;
  Shape shape = Shape::kOne;
  const MessageFields* message = nullptr;  // of kMessage
  // The number of the message of one that this is a field of; 0: of this one.
  // JSON has the fields of both in one object.
  std::uint32_t inside = 0;
  // A text that is written only if it is set: then an empty one is a text too.
  bool optional = false;
};

struct MessageFields {
  std::span<const MessageField> fields;
  // Of a message that must not be read in part: as JSON it has a member for
  // each field that is not here.
  bool whole = false;

  // Null if there is none of this name, or it is not read.
  const MessageField* Find(std::string_view name) const;
};

// Of the kinds that are read in Protobuf; null for any other kind.
const MessageFields* FieldsOfKind(std::string_view kind);

}  // namespace fluxnetes::cluster

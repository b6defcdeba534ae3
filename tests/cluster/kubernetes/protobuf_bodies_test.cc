// The bytes here were read by Kubernetes' own decoder (k8s.io/api 0.36.3),
// which found the objects that their names say.
#include "cluster/kubernetes/protobuf_bodies.h"

#include <gtest/gtest.h>

#include "cluster/text/timestamp.h"

namespace fluxnetes::cluster {
namespace {

using namespace std::string_literals;

TEST(ProtobufBodies, BindingHasItsPreconditionsItsAnnotationsAndItsNode) {
  const Binding binding{"ns", "web", "u1", "42", "node0", {{"a", "b"}}};
  EXPECT_EQ(BindingInProtobuf(binding),
            "k8s\0"
            "\x0A\x0D"  // typeMeta
            "\x0A\x02v1"
            "\x12\x07"
            "Binding"
            "\x12\x2E"  // raw
            "\x0A\x19"  // metadata
            "\x0A\x03web"
            "\x1A\x02ns"
            "\x2A\x02u1"
            "\x32\x02"
            "42"
            "\x62\x06\x0A\x01"
            "a\x12\x01"
            "b"
            "\x12\x11"  // target
            "\x0A\x04Node"
            "\x1A\x05node0"
            "\x2A\x02v1"s);
}

TEST(ProtobufBodies, BindingWithoutPreconditionsHasNone) {
  EXPECT_EQ(BindingInProtobuf({"n", "p", "", "", "m"}),
            "k8s\0"
            "\x0A\x0D\x0A\x02v1\x12\x07"
            "Binding"
            "\x12\x17"
            "\x0A\x06\x0A\x01p\x1A\x01n"
            "\x12\x0D\x0A\x04Node\x1A\x01m\x2A\x02v1"s);
}

TEST(ProtobufBodies, EventNamesItsPodItsReasonAndItsTime) {
  const PodEvent event{"n", "p", "u", true, "Why", "Because"};
  EXPECT_EQ(EventInProtobuf(event, "p.1",
                            ParseTimestamp("1970-01-01T00:02:08.9Z").value()),
            "k8s\0"
            "\x0A\x0B\x0A\x02v1\x12\x05"
            "Event"
            "\x12\x59"
            "\x0A\x08\x0A\x03p.1\x1A\x01n"  // metadata
            "\x12\x12\x0A\x03Pod\x12\x01n\x1A\x01p\x22\x01u\x2A\x02v1"
            "\x1A\x03Why"
            "\x22\x07"
            "Because"
            "\x2A\x0B\x0A\x09"
            "fluxnetes"
            "\x32\x03\x08\x80\x01"  // firstTimestamp
            "\x3A\x03\x08\x80\x01"
            "\x40\x01"
            "\x4A\x07Warning"
            "\x72\x09"
            "fluxnetes"s);
}

TEST(ProtobufBodies, TextThatIsNoUtf8IsReplaced) {
  const std::string body =
      EventInProtobuf({"n", "p", "u", false, "Why", "a\xFF"}, "e", Time{});
  EXPECT_NE(body.find("\x22\x04"
                      "a\xEF\xBF\xBD"),
            body.npos);
  EXPECT_EQ(body.find('\xFF'), body.npos);
}

}  // namespace
}  // namespace fluxnetes::cluster

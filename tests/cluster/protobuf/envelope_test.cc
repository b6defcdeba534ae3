#include "cluster/protobuf/envelope.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cluster/protobuf/wire_reader.h"
#include "tests/cluster/protobuf/protobuf_writer.h"

namespace fluxnetes::cluster {
namespace {

using Json = nlohmann::json;

const Json& Named() {
  static const Json json = {{"metadata", {{"name", "a"}}}};
  return json;
}

std::string WhyNotOpened(std::string_view body) {
  try {
    OpenEnvelope(body);
    return "";
  } catch (const WireError& error) {
    return error.what();
  }
}

TEST(Envelope, ObjectHasItsKindAndItsFields) {
  const std::string body = WriteEnveloped("Pod", Named());
  EXPECT_TRUE(IsProtobuf(body));
  const EnvelopedObject object = OpenEnvelope(body);
  EXPECT_EQ(object.kind, "Pod");
  EXPECT_EQ(Text(At(object.value, "metadata"), "name"), "a");
}

TEST(Envelope, FrameHasTheTypeOfTheEventAndTheObject) {
  const std::string frame =
      WriteFrame("ADDED", WriteEnveloped("Node", Named()));
  const WatchFrame opened = OpenWatchFrame(frame);
  EXPECT_EQ(opened.type, "ADDED");
  EXPECT_EQ(opened.object.kind, "Node");
  EXPECT_EQ(Text(At(opened.object.value, "metadata"), "name"), "a");
}

TEST(Envelope, WhatIsNotReadIsSaid) {
  EXPECT_FALSE(IsProtobuf("{}"));
  EXPECT_EQ(WhyNotOpened("{}"),
            "protobuf: an object does not begin with \"k8s\"");
  const std::string magic("k8s\0", 4);
  EXPECT_EQ(WhyNotOpened(magic + BytesField(1, BytesField(2, "Secret"))),
            "protobuf: objects of kind \"Secret\" are not read");
  EXPECT_EQ(WhyNotOpened(magic + BytesField(1, BytesField(2, "Pod")) +
                         BytesField(3, "gzip")),
            "protobuf: an object is encoded once more");
}

}  // namespace
}  // namespace fluxnetes::cluster

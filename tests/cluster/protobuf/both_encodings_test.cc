// What is read from an object is the same in JSON and in Protobuf: of objects
// that Kubernetes' own encoders have written (recorded/*.json, by
// k8s.io/api 0.36.3), and of random ones, of which the long form
// (FLUXNETES_TEST_LONG=1) has many more.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "cluster/devices/claim_decoder.h"
#include "cluster/json/controller_json.h"
#include "cluster/json/object_writer.h"
#include "cluster/json/objects.h"
#include "cluster/json/optional_objects.h"
#include "cluster/json/request_json.h"
#include "cluster/json/watch_line.h"
#include "cluster/protobuf/encoded_value.h"
#include "cluster/protobuf/wire_reader.h"
#include "cluster/text/base64.h"
#include "tests/cluster/protobuf/protobuf_writer.h"
#include "tests/cluster/protobuf/random_objects.h"
#include "tests/support/places.h"

namespace fluxnetes::cluster {
namespace {

using Json = nlohmann::json;

const Json& Recorded() {
  static const Json all = Json::parse(std::ifstream(
      testing::SourcePath("tests/cluster/protobuf/recorded/objects.json")));
  return all;
}

int Objects() {
  return std::getenv("FLUXNETES_TEST_LONG") == nullptr ? 500 : 20'000;
}

std::string Bytes(const Json& base64) {
  return DecodeBase64(base64.get<std::string>()).value();
}

void ExpectSame(const Pod& protobuf, const Pod& json) {
  EXPECT_EQ(WritePod(protobuf), WritePod(json));
  EXPECT_EQ(ToJson(protobuf.request), ToJson(json.request));
  EXPECT_TRUE(protobuf == json);
}

void ExpectSame(const Node& protobuf, const Node& json) {
  EXPECT_EQ(WriteNode(protobuf), WriteNode(json));
  EXPECT_TRUE(protobuf == json);
}

// Of the kinds that have no text to compare.
void ExpectSameObjects(const WatchEvent& protobuf, const WatchEvent& json) {
  std::visit(
      [&protobuf](const auto& of_json) {
        using Object = std::remove_cvref_t<decltype(of_json)>;
        const auto& of_protobuf = std::get<Object>(protobuf.object);
        if constexpr (requires { *of_json == *of_json; }) {
          ASSERT_TRUE(of_json && of_protobuf);
          EXPECT_TRUE(*of_protobuf == *of_json);
        }
      },
      json.object);
}

void ExpectSame(const WatchEvent& protobuf, const WatchEvent& json) {
  EXPECT_EQ(protobuf.kind, json.kind);
  ASSERT_EQ(protobuf.object.index(), json.object.index());
  ExpectSameObjects(protobuf, json);
  if (const auto* pod = std::get_if<std::shared_ptr<const Pod>>(&json.object)) {
    ExpectSame(*std::get<std::shared_ptr<const Pod>>(protobuf.object), **pod);
  } else if (const auto* node =
                 std::get_if<std::shared_ptr<const Node>>(&json.object)) {
    ExpectSame(*std::get<std::shared_ptr<const Node>>(protobuf.object), **node);
  }
}

TEST(BothEncodings, RecordedEventsAreTheSame) {
  ASSERT_EQ(Recorded()["events"].size(), 3);
  for (const Json& each : Recorded()["events"]) {
    const WatchLine line =
        ReadWatchLine(WatchedKind::kPods, each["json"].dump());
    const WatchLine frame =
        ReadWatchFrame(WatchedKind::kPods, Bytes(each["frame"]));
    EXPECT_NE(line.type, WatchLine::Type::kUnreadable);
    EXPECT_EQ(frame.type, line.type);
    EXPECT_EQ(frame.resource_version, line.resource_version);
    EXPECT_EQ(frame.ends_list, line.ends_list);
    EXPECT_EQ(frame.code, line.code);
    EXPECT_EQ(frame.message, line.message);
    ExpectSame(frame.event, line.event);
  }
}

// So that nothing is equal because neither encoding was read.
TEST(BothEncodings, RecordedPodIsReadInWhole) {
  const std::string frame = Bytes(Recorded()["events"][0]["frame"]);
  const WatchLine line = ReadWatchFrame(WatchedKind::kPods, frame);
  ASSERT_EQ(line.type, WatchLine::Type::kEvent);
  const Pod& pod = *std::get<std::shared_ptr<const Pod>>(line.event.object);
  EXPECT_EQ(pod.name, "web-0");
  EXPECT_EQ(pod.labels.at("fluxnetes.group-size"), "4");
  EXPECT_EQ(pod.controller->name, "train");
  EXPECT_EQ(pod.completion_index, 2);
  EXPECT_TRUE(pod.terminating && pod.gated && pod.started);
  EXPECT_EQ(pod.created_at, ParseTimestamp("2026-01-02T03:04:05Z"));
  EXPECT_EQ(pod.priority, -7);
  EXPECT_EQ(pod.grace, std::chrono::seconds(45));
  EXPECT_EQ(pod.active_deadline, std::chrono::seconds(3600));
  EXPECT_EQ(pod.scheduling_group, "group");
  EXPECT_EQ(pod.ephemeral_claims, std::vector<std::string>{"web-0-scratch"});
  EXPECT_EQ(pod.resource_claims[0].claim, "web-0-gpu-x");
  EXPECT_EQ(pod.request.resources.Extended("nvidia.com/gpu"), 1);
  EXPECT_EQ(pod.request.tolerations.size(), 3);
  EXPECT_EQ(pod.request.rules->host_ports.size(), 3);
  EXPECT_EQ(pod.request.rules->preferred_pods.size(), 2);
  EXPECT_EQ(pod.request.rules->spread[0].min_domains, 3);
}

TEST(BothEncodings, RecordedListsAreTheSame) {
  const auto compare = [](WatchedKind kind, const Json& each) {
    const ListPage json = ReadListPage(kind, each["json"].dump());
    const ListPage protobuf = ReadListPage(kind, Bytes(each["body"]));
    EXPECT_TRUE(json.readable && protobuf.readable);
    EXPECT_EQ(protobuf.resource_version, json.resource_version);
    EXPECT_EQ(protobuf.continuation, json.continuation);
    EXPECT_FALSE(json.changes.empty());
    ASSERT_EQ(protobuf.changes.size(), json.changes.size());
    for (std::size_t i = 0; i < json.changes.size(); ++i)
      ExpectSame(protobuf.changes[i], json.changes[i]);
  };
  compare(WatchedKind::kPods, Recorded()["lists"][0]);
  compare(WatchedKind::kNodes, Recorded()["lists"][1]);
}

constexpr std::pair<WatchedKind, const char*> kOtherKinds[] = {
    {WatchedKind::kNamespaces, "Namespace"},
    {WatchedKind::kStorageClasses, "StorageClass"},
    {WatchedKind::kVolumes, "PersistentVolume"},
    {WatchedKind::kVolumeClaims, "PersistentVolumeClaim"},
    {WatchedKind::kNativeGroups, "PodGroup"},
    {WatchedKind::kJobs, "Job"},
    {WatchedKind::kDeviceClasses, "DeviceClass"},
    {WatchedKind::kResourceSlices, "ResourceSlice"},
    {WatchedKind::kResourceClaims, "ResourceClaim"}};

TEST(BothEncodings, ObjectsOfEachOtherKindAreTheSame) {
  for (const auto& [kind, name] : kOtherKinds) {
    SCOPED_TRACE(name);
    EXPECT_TRUE(IsReadInProtobuf(kind));
    const MessageFields& fields = *FieldsOfKind(name);
    std::minstd_rand random(1);
    for (int i = 0; i < 200 && !HasFailure(); ++i) {
      const Json object = RandomObjectJson(fields, random);
      const Json event = {{"type", "ADDED"}, {"object", object}};
      SCOPED_TRACE(event.dump());
      const WatchLine line = ReadWatchLine(kind, event.dump());
      const WatchLine frame = ReadWatchFrame(
          kind, WriteFrame("ADDED", WriteEnveloped(name, object)));
      ASSERT_EQ(line.type, WatchLine::Type::kEvent);
      ASSERT_EQ(frame.type, WatchLine::Type::kEvent);
      EXPECT_EQ(frame.resource_version, line.resource_version);
      ExpectSame(frame.event, line.event);
    }
  }
}

TEST(BothEncodings, RecordedListsOfOtherKindsAreTheSame) {
  const Json all = Json::parse(std::ifstream(
      testing::SourcePath("tests/cluster/protobuf/recorded/other_kinds.json")));
  for (const auto& [kind, name] : kOtherKinds) {
    SCOPED_TRACE(name);
    const Json& list = all.at(name);
    const ListPage json = ReadListPage(kind, list["json"].dump());
    const ListPage protobuf = ReadListPage(kind, Bytes(list["body"]));
    EXPECT_TRUE(json.readable && protobuf.readable);
    EXPECT_EQ(protobuf.resource_version, json.resource_version);
    ASSERT_EQ(protobuf.changes.size(), json.changes.size());
    EXPECT_FALSE(json.changes.empty());
    for (std::size_t i = 0; i < json.changes.size(); ++i)
      ExpectSame(protobuf.changes[i], json.changes[i]);
  }
}

// So that nothing is equal because neither encoding was read.
TEST(BothEncodings, RecordedClaimIsReadInWhole) {
  const Json all = Json::parse(std::ifstream(
      testing::SourcePath("tests/cluster/protobuf/recorded/other_kinds.json")));
  const ListPage page = ReadListPage(WatchedKind::kResourceClaims,
                                     Bytes(all["ResourceClaim"]["body"]));
  ASSERT_EQ(page.changes.size(), 1);
  const auto& claim =
      *std::get<std::shared_ptr<const ResourceClaim>>(page.changes[0].object);
  EXPECT_EQ(claim.spec->fault, "");
  EXPECT_EQ(claim.spec->devices.requests.size(), 2);
  EXPECT_EQ(claim.spec->devices.constraints.size(), 1);
  EXPECT_EQ(claim.spec->config[0].json,
            R"({"opaque":{"driver":"gpu.example.com",)"
            R"("parameters":{"mode":"fast"}}})");
  EXPECT_EQ(claim.allocation->devices.size(), 1);
  EXPECT_EQ(claim.reserved_for.size(), 1);
  EXPECT_EQ(claim.statuses.size(), 1);
  EXPECT_EQ(claim.finalizers, std::vector<std::string>{kClaimFinalizer});
}

// As with a field of JSON that is not supported: a claim is not given devices
// by a part of what it asks for.
TEST(BothEncodings, FieldOfAClaimThatIsNotKnownIsNotPassedOver) {
  const std::string exactly =
      BytesField(1, "gpu.example.com") + NumberField(17, 1);
  const std::string request = BytesField(1, "r") + BytesField(2, exactly);
  const std::string bytes =
      BytesField(2, BytesField(1, BytesField(1, request)));
  EXPECT_EQ(
      DecodeResourceClaim({*FieldsOfKind("ResourceClaim"), bytes}).spec->fault,
      "devices.requests[0].exactly.field 17: this field is not supported");
}

TEST(BothEncodings, ClaimOfNoClassIsNotOneOfTheDefaultClass) {
  const auto class_of = [](const std::string& spec) {
    const std::string bytes = BytesField(2, spec);
    return DecodeVolumeClaim({*FieldsOfKind("PersistentVolumeClaim"), bytes})
        .storage_class;
  };
  EXPECT_EQ(class_of(BytesField(3, "")), std::nullopt);
  EXPECT_EQ(class_of(BytesField(5, "")), "");
  EXPECT_EQ(class_of(BytesField(5, "fast")), "fast");
}

TEST(BothEncodings, RandomPodsAreTheSame) {
  std::minstd_rand random(1);
  for (int i = 0; i < Objects() && !HasFailure(); ++i) {
    const Json json = RandomPodJson(random);
    const std::string bytes = WriteMessage(*FieldsOfKind("Pod"), json);
    SCOPED_TRACE(json.dump());
    ExpectSame(DecodePod({*FieldsOfKind("Pod"), bytes}), DecodePod(json));
  }
}

TEST(BothEncodings, RandomNodesAreTheSame) {
  std::minstd_rand random(1);
  for (int i = 0; i < Objects() && !HasFailure(); ++i) {
    const Json json = RandomNodeJson(random);
    const std::string bytes = WriteMessage(*FieldsOfKind("Node"), json);
    SCOPED_TRACE(json.dump());
    ExpectSame(DecodeNode({*FieldsOfKind("Node"), bytes}), DecodeNode(json));
  }
}

TEST(BothEncodings, RandomControllersAreTheSame) {
  std::minstd_rand random(1);
  for (int i = 0; i < Objects() && !HasFailure(); ++i) {
    const Json json = RandomControllerJson(random);
    SCOPED_TRACE(json.dump());
    for (const std::string kind :
         {"Job", "ReplicaSet", "Deployment", "StatefulSet",
          "ReplicationController", "DaemonSet"}) {
      const MessageFields& fields = *FieldsOfKind(kind);
      const std::string bytes = WriteMessage(fields, json);
      EXPECT_TRUE(DecodeControllerState(kind, {fields, bytes}) ==
                  DecodeControllerState(kind, json))
          << kind;
    }
  }
}

TEST(BothEncodings, TextThatIsNoUtf8IsReplaced) {
  const std::string bytes = BytesField(
      1,
      BytesField(1, "a\xFF\xC3\xBC") +
          BytesField(11, BytesField(1, "k\xC0") + BytesField(2, "\xF0\x9F")));
  const Pod pod = DecodePod({*FieldsOfKind("Pod"), bytes});
  EXPECT_EQ(pod.name, "a\xEF\xBF\xBD\xC3\xBC");
  EXPECT_EQ(pod.labels.at("k\xEF\xBF\xBD"), "\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(BothEncodings, KeyThatIsWrittenTwiceHasItsLastValue) {
  const auto label = [](const char* key, const char* value) {
    return BytesField(11, BytesField(1, key) + BytesField(2, value));
  };
  const std::string bytes =
      BytesField(1, label("b", "1") + label("a", "2") + label("b", "3"));
  const EncodedValue labels =
      EncodedValue(*FieldsOfKind("Pod"), bytes).At("metadata").At("labels");
  EXPECT_EQ(labels.ToJson(), Json({{"a", "2"}, {"b", "3"}}));
  const auto entries = labels.Entries();
  ASSERT_EQ(entries.size(), 2);
  EXPECT_EQ(entries[0].first, "a");
  EXPECT_EQ(entries[1].second.Text(), "3");
}

TEST(BothEncodings, TimeOfNoYearIsNone) {
  const auto created = [](std::uint64_t seconds) {
    const std::string bytes =
        BytesField(1, BytesField(8, NumberField(1, seconds)));
    return DecodePod({*FieldsOfKind("Pod"), bytes}).created_at;
  };
  EXPECT_EQ(created(1), Time(std::chrono::seconds(1)));
  EXPECT_EQ(created(~std::uint64_t{0} >> 1U), Time{});
  EXPECT_EQ(created(std::uint64_t{1} << 63U), Time{});
}

TEST(BothEncodings, DamagedFrameOrListIsUnreadable) {
  const std::string frame = Bytes(Recorded()["events"][0]["frame"]);
  const std::string list = Bytes(Recorded()["lists"][0]["body"]);
  EXPECT_EQ(ReadWatchFrame(WatchedKind::kPods, frame.substr(0, 900)).type,
            WatchLine::Type::kUnreadable);
  EXPECT_FALSE(ReadListPage(WatchedKind::kPods, list.substr(0, 900)).readable);
  // Of another kind than was asked for.
  EXPECT_EQ(ReadWatchFrame(WatchedKind::kNodes, frame).type,
            WatchLine::Type::kUnreadable);
  EXPECT_FALSE(ReadListPage(WatchedKind::kNodes, list).readable);
}

TEST(BothEncodings, RefusalInProtobufSaysWhy) {
  EXPECT_EQ(ReadStatusMessage(
                WriteEnveloped("Status", {{"message", "no"}, {"code", 403}})),
            "no");
}

}  // namespace
}  // namespace fluxnetes::cluster

#include "cluster/json/watch_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster/json/object_writer.h"

namespace fluxnetes::cluster {
namespace {

using Type = WatchLine::Type;

std::string PodText() {
  Pod pod;
  pod.namespace_name = "a";
  pod.name = "b";
  pod.uid = "u";
  pod.resource_version = "17";
  return WritePod(pod);
}

TEST(WatchLine, EventCarriesTheObjectAndItsVersion) {
  for (const char* type : {"ADDED", "MODIFIED", "DELETED"}) {
    const WatchLine line = ReadWatchLine(
        WatchedKind::kPods, std::string(R"({"type":")") + type +
                                R"(","object":)" + PodText() + "}");
    ASSERT_EQ(line.type, Type::kEvent) << type;
    EXPECT_EQ(line.resource_version, "17");
    EXPECT_EQ(line.event.kind == WatchEvent::Kind::kDeleted,
              std::string(type) == "DELETED");
    EXPECT_EQ(std::get<std::shared_ptr<const Pod>>(line.event.object)->name,
              "b");
  }
}

TEST(WatchLine, BookmarkIsAVersion) {
  const WatchLine line = ReadWatchLine(
      WatchedKind::kNodes,
      R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"99"}}})");
  EXPECT_EQ(line.type, Type::kBookmark);
  EXPECT_EQ(line.resource_version, "99");
}

TEST(WatchLine, BookmarkMayEndTheList) {
  EXPECT_FALSE(ReadWatchLine(WatchedKind::kNodes,
                             R"({"type":"BOOKMARK","object":{"metadata":{
                                 "resourceVersion":"99"}}})")
                   .ends_list);
  const WatchLine line = ReadWatchLine(
      WatchedKind::kNodes, R"({"type":"BOOKMARK","object":{"metadata":{
          "resourceVersion":"99",
          "annotations":{"k8s.io/initial-events-end":"true"}}}})");
  EXPECT_TRUE(line.ends_list);
  EXPECT_EQ(line.resource_version, "99");
}

TEST(WatchLine, ErrorSaysWhy) {
  const WatchLine line = ReadWatchLine(
      WatchedKind::kPods,
      R"({"type":"ERROR","object":{"code":410,"message":"too old"}})");
  EXPECT_EQ(line.type, Type::kError);
  EXPECT_EQ(line.code, 410);
  EXPECT_EQ(line.message, "too old");
}

TEST(WatchLine, WhatCannotBeReadIsSaidToBeSo) {
  const std::vector<std::string> lines = {
      "",
      "{",
      "null",
      "[]",
      "17",
      R"({"type":"ADDED"})",
      R"({"type":"ADDED","object":{}})",
      R"({"type":"ADDED","object":[1]})",
      R"({"type":"MOVED","object":)" + PodText() + "}",
      R"({"type":7,"object":{}})",
      R"({"type":"BOOKMARK","object":null})",
      "\xff\xfe",
      std::string(100'000, '['),
      R"({"type":"ADDED","object":{"metadata":{"name":"x"}}})"};
  for (const std::string& line : lines) {
    EXPECT_EQ(ReadWatchLine(WatchedKind::kPods, line).type, Type::kUnreadable)
        << line.substr(0, 80);
  }
}

TEST(WatchLine, ErrorWithoutSenseIsAnErrorAllTheSame) {
  EXPECT_EQ(ReadWatchLine(WatchedKind::kPods,
                          R"({"type":"ERROR","object":{"code":"x"}})")
                .code,
            0);
}

TEST(ListPage, HasItemsVersionAndContinuation) {
  const ListPage page = ReadListPage(
      WatchedKind::kPods,
      R"({"metadata":{"resourceVersion":"5","continue":"c"},"items":[)" +
          PodText() + "," + PodText() + "]}");
  EXPECT_TRUE(page.readable);
  EXPECT_EQ(page.resource_version, "5");
  EXPECT_EQ(page.continuation, "c");
  EXPECT_EQ(page.changes.size(), 2U);
}

TEST(ListPage, IsNotReadableWithoutAVersion) {
  for (const char* body : {"", "{", "[]", "{}", R"({"items":[]})"}) {
    EXPECT_FALSE(ReadListPage(WatchedKind::kPods, body).readable) << body;
  }
}

TEST(StatusMessage, IsTheMessageOrTheBody) {
  EXPECT_EQ(ReadStatusMessage(R"({"message":"no"})"), "no");
  EXPECT_EQ(ReadStatusMessage("<html>"), "\"<html>\"");
  EXPECT_EQ(ReadStatusMessage(""), "");
}

}  // namespace
}  // namespace fluxnetes::cluster

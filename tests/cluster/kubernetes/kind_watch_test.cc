#include "cluster/kubernetes/kind_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "cluster/cluster_cache.h"
#include "cluster/kubernetes/kubernetes_watch.h"
#include "services/http/http_server.h"
#include "sql/mutex.h"
#include "tests/cluster/protobuf/protobuf_writer.h"

namespace fluxnetes::cluster {
namespace {

using services::HttpAnswer;
using services::HttpQuestion;
using std::chrono::milliseconds;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kGroups = "/apis/scheduling.x-k8s.io/v1alpha1/podgroups";
constexpr const char* kNativeGroups =
    "/apis/scheduling.k8s.io/v1alpha2/podgroups";

std::string GroupText(const std::string& name, int version) {
  return R"({"metadata":{"namespace":"a","name":")" + name +
         R"(","uid":"u","resourceVersion":")" + std::to_string(version) +
         R"("},"spec":{"minMember":2}})";
}

// A server with nodes and pods, of which there are none, and other kinds on
// demand. A stream sends the lines pushed while it is open, and ends on
// request.
class WatchServer {
 public:
  WatchServer()
      : server_({.address = "127.0.0.1:0",
                 .answer = [this](const auto& it) { return Answer(it); },
                 .refuse = [](int, const std::string& why) { return why; }}) {
    Serve("/api/v1/nodes", "");
    Serve("/api/v1/pods", "");
    server_.Start();
  }

  void Serve(const std::string& path, const std::string& items) {
    const sql::MutexLock lock(mutex_);
    refused_.erase(path);
    served_[path] = items;
  }
  void Refuse(const std::string& path, int status) {
    const sql::MutexLock lock(mutex_);
    refused_[path] = status;
    ++generation_;
  }
  void Push(const std::string& path, const std::string& line) {
    const sql::MutexLock lock(mutex_);
    lines_[path].push_back(line + "\n");
  }
  // Streams lists from now on; the first `cut` are cut off before their end.
  void StreamLists(int cut = 0) {
    const sql::MutexLock lock(mutex_);
    streams_lists_ = true;
    cut_lists_ = cut;
  }
  // From now on answers requests for this path that accept Protobuf with this
  // page of a list, or with this stream.
  void ServeProtobuf(const std::string& path, const std::string& page,
                     const std::string& stream) {
    const sql::MutexLock lock(mutex_);
    pages_[path] = page;
    frames_[path] = stream;
  }
  // What requests for this path have accepted, in order.
  std::vector<std::string> Accepted(const std::string& path) {
    const sql::MutexLock lock(mutex_);
    return accepted_[path];
  }
  std::vector<std::string> Streamed() {
    const sql::MutexLock lock(mutex_);
    return streamed_;
  }
  // The lists read by pages.
  std::vector<std::string> Listed() {
    const sql::MutexLock lock(mutex_);
    return listed_;
  }
  const std::string& address() const { return server_.address(); }

 private:
  HttpAnswer Answer(const HttpQuestion& question) {
    const sql::MutexLock lock(mutex_);
    const std::string& path = question.path;
    HttpAnswer answer;
    const bool watch = question.query.contains("watch");
    accepted_[path].push_back(question.accept);
    if (!watch) listed_.push_back(path);
    const bool streams = question.query.contains("sendInitialEvents");
    if (streams && !streams_lists_) {
      answer.status = 422;
      answer.body = R"({"message":"sendInitialEvents: Forbidden"})";
      return answer;
    }
    if (watch && streams) streamed_.push_back(path);
    if (refused_.contains(path) || !served_.contains(path)) {
      answer.status = refused_.contains(path) ? refused_[path] : 404;
      answer.body = R"({"message":"not for you"})";
    } else if (question.accept.find("protobuf") != std::string::npos &&
               pages_.contains(path)) {
      answer.content_type = "application/vnd.kubernetes.protobuf";
      answer.body = pages_[path];
      if (watch) answer.stream = Frames(path);
    } else if (watch) {
      if (streams) {
        answer.stream = StreamWithList(path, cut_lists_-- > 0);
      } else {
        answer.stream = Stream(path);
      }
    } else {
      answer.body = R"({"metadata":{"resourceVersion":"1"},"items":[)" +
                    served_[path] + "]}";
    }
    return answer;
  }

  // All existing objects and, unless the list is cut off, its end.
  std::string InitialLines(const std::string& path, bool cut) REQUIRES(mutex_) {
    std::string lines;
    if (!served_[path].empty()) {
      lines = R"({"type":"ADDED","object":)" + served_[path] + "}\n";
    }
    if (cut) return lines;
    return lines +
           R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"1",)"
           R"("annotations":{"k8s.io/initial-events-end":"true"}}}})"
           "\n";
  }

  HttpAnswer::Source StreamWithList(const std::string& path, bool cut)
      REQUIRES(mutex_) {
    return [first = InitialLines(path, cut), cut,
            rest = Stream(path)]() mutable -> std::optional<std::string> {
      if (!first.empty()) return std::exchange(first, {});
      if (cut) return std::nullopt;
      return rest();
    };
  }

  HttpAnswer::Source Stream(const std::string& path) REQUIRES(mutex_) {
    return [this, path, place = lines_[path].size(),
            generation = generation_]() mutable -> std::optional<std::string> {
      {
        const sql::MutexLock lock(mutex_);
        if (generation != generation_) return std::nullopt;
        if (place < lines_[path].size()) return lines_[path][place++];
      }
      std::this_thread::sleep_for(milliseconds(1));
      return "";
    };
  }

  HttpAnswer::Source Frames(const std::string& path) REQUIRES(mutex_) {
    return [first = frames_[path], this,
            generation = generation_]() mutable -> std::optional<std::string> {
      if (!first.empty()) return std::exchange(first, {});
      {
        const sql::MutexLock lock(mutex_);
        if (generation != generation_) return std::nullopt;
      }
      std::this_thread::sleep_for(milliseconds(1));
      return "";
    };
  }

  sql::Mutex mutex_;
  std::map<std::string, std::string> pages_ GUARDED_BY(mutex_);
  std::map<std::string, std::string> frames_ GUARDED_BY(mutex_);
  std::map<std::string, std::vector<std::string>> accepted_ GUARDED_BY(mutex_);
  std::map<std::string, std::string> served_ GUARDED_BY(mutex_);
  std::map<std::string, int> refused_ GUARDED_BY(mutex_);
  std::map<std::string, std::vector<std::string>> lines_ GUARDED_BY(mutex_);
  std::vector<std::string> listed_ GUARDED_BY(mutex_);
  std::vector<std::string> streamed_ GUARDED_BY(mutex_);
  bool streams_lists_ GUARDED_BY(mutex_) = false;
  int cut_lists_ GUARDED_BY(mutex_) = 0;
  int generation_ GUARDED_BY(mutex_) = 0;

  services::HttpServer server_;
};

nlohmann::json NodeJson(const std::string& name, const std::string& version) {
  return {{"metadata",
           {{"name", name}, {"uid", name}, {"resourceVersion", version}}}};
}

std::string NodePage() {
  return WriteEnveloped("NodeList", {{"metadata", {{"resourceVersion", "5"}}},
                                     {"items", {NodeJson("listed", "4")}}});
}

// An event with the 4 bytes of its length before it.
std::string NodeFrame(const std::string& name) {
  const std::string frame =
      WriteFrame("ADDED", WriteEnveloped("Node", NodeJson(name, "7")));
  return std::string("\0\0", 2) + static_cast<char>(frame.size() / 256) +
         static_cast<char>(frame.size() % 256) + frame;
}

constexpr const char* kNodes = "/api/v1/nodes";

class KindWatchTest : public ::testing::Test {
 protected:
  KindWatchTest() : client_({.address = server_.address()}) {}

  void Begin(bool protobuf = true) {
    KubernetesWatchOptions options;
    options.protobuf = protobuf;
    options.first_backoff = milliseconds(1);
    options.longest_backoff = milliseconds(20);
    options.ask_again = milliseconds(10);
    options.on_passed_over = [this](const std::string& why) {
      passed_over_.push_back(why);
    };
    watch_ = std::make_unique<KubernetesWatch>(client_, std::move(options));
  }
  bool Until(const std::function<bool()>& condition) {
    for (int i = 0; i < 1'000 && !condition(); ++i) {
      const CacheChanges changes =
          cache_.Apply(watch_->Next(100, milliseconds(20)));
    }
    return condition();
  }
  bool Has(const std::string& group, PodGroupApi api) const {
    return cache_.PodGroupByName({api, "a", group}) != nullptr;
  }

  WatchServer server_;
  HttpClient client_;
  ClusterCache cache_;
  std::vector<std::string> passed_over_;
  std::unique_ptr<KubernetesWatch> watch_;
};

TEST_F(KindWatchTest, ClusterWithoutTheOptionalKindsIsKnownAllTheSame) {
  Begin();
  EXPECT_TRUE(Until([&] { return cache_.Synced(); }));
  EXPECT_THAT(passed_over_, IsEmpty());
}

TEST_F(KindWatchTest, PodsAndNodesAreReadInProtobufIfTheServerHasIt) {
  server_.ServeProtobuf(kNodes, NodePage(), NodeFrame("watched"));
  server_.Serve(kGroups, GroupText("train", 5));
  Begin();
  EXPECT_TRUE(Until([&] { return cache_.NodeByName("watched") != nullptr; }));
  EXPECT_NE(cache_.NodeByName("listed"), nullptr);
  EXPECT_TRUE(Until([&] { return cache_.Synced(); }));
  // A stream that begins with the list, a page, a stream.
  EXPECT_THAT(
      server_.Accepted(kNodes),
      ElementsAre(
          "application/vnd.kubernetes.protobuf;stream=watch, application/json",
          "application/vnd.kubernetes.protobuf, application/json",
          "application/vnd.kubernetes.protobuf;stream=watch, "
          "application/json"));
  EXPECT_EQ(server_.Accepted(kGroups)[0], "application/json");
}

TEST_F(KindWatchTest, ProtobufIsNotAskedForIfItIsSwitchedOff) {
  server_.ServeProtobuf(kNodes, NodePage(), NodeFrame("watched"));
  Begin(/*protobuf=*/false);
  EXPECT_TRUE(Until([&] { return cache_.Synced(); }));
  EXPECT_THAT(server_.Accepted(kNodes), Each("application/json"));
}

TEST_F(KindWatchTest, PageInProtobufThatCannotBeReadIsAskedForInJson) {
  server_.ServeProtobuf(kNodes, NodePage().substr(0, 30), "");
  Begin();
  EXPECT_TRUE(Until([&] { return cache_.Synced(); }));
  EXPECT_EQ(server_.Accepted(kNodes).back(), "application/json");
}

TEST_F(KindWatchTest, FrameThatCannotBeReadIsAskedForInJson) {
  server_.ServeProtobuf(kNodes, NodePage(), std::string("\0\0\0\2xx", 6));
  Begin();
  EXPECT_TRUE(Until([&] {
    return std::ranges::count(server_.Accepted(kNodes), "application/json") > 0;
  }));
  EXPECT_TRUE(Until([&] { return cache_.Synced(); }));
}

TEST_F(KindWatchTest, WhatPodsReferToIsListedBeforeThem) {
  Begin();
  ASSERT_TRUE(Until([&] { return cache_.Synced(); }));
  std::vector<std::string> first;
  for (const std::string& path : server_.Listed()) {
    if (std::ranges::count(first, path) == 0) first.push_back(path);
  }
  EXPECT_EQ(first.size(), kWatchedKinds);
  EXPECT_EQ(first.back(), "/api/v1/pods");
}

// What makes claims of them is a controller of the cluster.
TEST_F(KindWatchTest, TemplatesOfClaimsAreNotRead) {
  Begin();
  ASSERT_TRUE(Until([&] { return cache_.Synced(); }));
  const std::string group = "/apis/resource.k8s.io/v1/";
  EXPECT_GT(std::ranges::count(server_.Listed(), group + "resourceclaims"), 0);
  EXPECT_EQ(
      std::ranges::count(server_.Listed(), group + "resourceclaimtemplates"),
      0);
}

TEST_F(KindWatchTest, KindThatIsInstalledLaterIsSeen) {
  Begin();
  ASSERT_TRUE(Until([&] { return cache_.Synced(); }));
  server_.Serve(kGroups, GroupText("train", 5));
  EXPECT_TRUE(Until([&] { return Has("train", PodGroupApi::kCoscheduling); }));
}

TEST_F(KindWatchTest, EachApiHasItsOwnGroups) {
  server_.Serve(kGroups, GroupText("train", 5));
  server_.Serve(kNativeGroups, GroupText("run", 6));
  Begin();
  ASSERT_TRUE(Until([&] { return cache_.Synced(); }));
  EXPECT_TRUE(Has("train", PodGroupApi::kCoscheduling));
  EXPECT_TRUE(Has("run", PodGroupApi::kNative));
  EXPECT_FALSE(Has("train", PodGroupApi::kNative));
}

TEST_F(KindWatchTest, KindThatMayNotBeReadIsToldOnce) {
  server_.Refuse(kGroups, 403);
  Begin();
  ASSERT_TRUE(Until([&] { return cache_.Synced(); }));
  const auto asked = [&] {
    return std::ranges::count(server_.Listed(), kGroups);
  };
  const auto before = asked();
  ASSERT_TRUE(Until([&] { return asked() >= before + 3; }));
  EXPECT_THAT(passed_over_,
              ElementsAre("podgroups.scheduling.x-k8s.io cannot be read: 403 "
                          "not for you"));
  server_.Serve(kGroups, GroupText("train", 5));
  EXPECT_TRUE(Until([&] { return Has("train", PodGroupApi::kCoscheduling); }));
}

TEST_F(KindWatchTest, KindThatAlwaysFailsIsPassedOver) {
  server_.Refuse(kGroups, 500);
  Begin();
  EXPECT_TRUE(Until([&] { return cache_.Synced(); }));
  ASSERT_EQ(passed_over_.size(), 1U);
  EXPECT_THAT(passed_over_[0], HasSubstr("500 not for you"));
}

TEST_F(KindWatchTest, ObjectsOfAKindThatIsRemovedAreGone) {
  server_.Serve(kGroups, GroupText("train", 5));
  Begin();
  ASSERT_TRUE(Until([&] { return cache_.Synced(); }));
  ASSERT_TRUE(Has("train", PodGroupApi::kCoscheduling));
  server_.Refuse(kGroups, 404);
  EXPECT_TRUE(Until([&] { return !Has("train", PodGroupApi::kCoscheduling); }));
}

TEST_F(KindWatchTest, ObjectsThatMayNotBeReadAnyMoreStay) {
  server_.Serve(kGroups, GroupText("train", 5));
  Begin();
  ASSERT_TRUE(Until([&] { return cache_.Synced(); }));
  server_.Refuse(kGroups, 403);
  ASSERT_TRUE(Until([&] { return !passed_over_.empty(); }));
  EXPECT_TRUE(Has("train", PodGroupApi::kCoscheduling));
}

TEST_F(KindWatchTest, ForgottenVersionOfOneKindListsThatKindAlone) {
  server_.Serve(kGroups, GroupText("train", 5));
  Begin();
  ASSERT_TRUE(Until([&] { return cache_.Synced(); }));
  const auto lists = [&](const char* path) {
    return std::ranges::count(server_.Listed(), path);
  };
  server_.Serve(kGroups, GroupText("other", 6));
  ASSERT_TRUE(Until([&] {
    server_.Push(kGroups, R"({"type":"ERROR","object":{"code":410}})");
    return Has("other", PodGroupApi::kCoscheduling);
  }));
  EXPECT_TRUE(Until([&] { return !Has("train", PodGroupApi::kCoscheduling); }));
  EXPECT_EQ(lists("/api/v1/pods"), 1);
  EXPECT_EQ(lists("/api/v1/nodes"), 1);
}

TEST_F(KindWatchTest, ListIsStreamedWhereTheServerCan) {
  server_.StreamLists();
  server_.Serve(kGroups, GroupText("train", 5));
  Begin();
  ASSERT_TRUE(Until([&] { return cache_.Synced(); }));
  EXPECT_TRUE(Has("train", PodGroupApi::kCoscheduling));
  EXPECT_THAT(server_.Listed(), IsEmpty());
  server_.Push(kGroups,
               R"({"type":"ADDED","object":)" + GroupText("next", 6) + "}");
  EXPECT_TRUE(Until([&] { return Has("next", PodGroupApi::kCoscheduling); }));
  EXPECT_EQ(std::ranges::count(server_.Streamed(), kGroups), 1);
}

TEST_F(KindWatchTest, StreamedListThatIsCutOffIsNoList) {
  server_.StreamLists(/*cut=*/2);
  server_.Serve(kGroups, GroupText("train", 5));
  Begin();
  EXPECT_TRUE(Until([&] { return cache_.Synced(); }));
  EXPECT_TRUE(Has("train", PodGroupApi::kCoscheduling));
  EXPECT_GT(server_.Streamed().size(), kWatchedKinds);
}

TEST_F(KindWatchTest, ServerThatStreamsNoListsIsAskedForItOnce) {
  server_.Serve(kGroups, GroupText("train", 5));
  Begin();
  ASSERT_TRUE(Until([&] { return cache_.Synced(); }));
  EXPECT_TRUE(Has("train", PodGroupApi::kCoscheduling));
  server_.StreamLists();
  ASSERT_TRUE(Until([&] {  // the watch may begin after its list was read
    server_.Push(kGroups, R"({"type":"ERROR","object":{"code":410}})");
    return std::ranges::count(server_.Listed(), kGroups) >= 2;
  }));
  EXPECT_THAT(server_.Streamed(), IsEmpty());
}

}  // namespace
}  // namespace fluxnetes::cluster

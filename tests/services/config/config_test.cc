#include "services/config/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "services/config/settings.h"

namespace fluxnetes::services {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ConfigFile : public ::testing::Test {
 protected:
  ConfigFile() {
    char name[] = "/tmp/fluxnetes-config-XXXXXX";
    directory_ = mkdtemp(name);
    sources_.directory = directory_;
    sources_.environment = [this](const char* variable) -> const char* {
      const auto found = environment_.find(variable);
      return found == environment_.end() ? nullptr : found->second.c_str();
    };
  }
  ~ConfigFile() override { std::filesystem::remove_all(directory_); }

  void Write(const std::string& text) {
    sources_.file = directory_ + "/config.yaml";
    std::ofstream(*sources_.file) << text;
  }

  std::string ErrorOf() {
    try {
      LoadConfig(sources_);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "(no error)";
  }

  std::string directory_;
  std::map<std::string, std::string> environment_;
  ConfigSources sources_;
};

TEST_F(ConfigFile, DefaultsAreEnough) {
  const EffectiveConfig effective = LoadConfig(sources_);
  EXPECT_EQ(effective.config.database.schema, "fluxnetes");
  EXPECT_EQ(effective.config.schedulers.all(),
            std::vector<std::string>{"fluxnetes"});
  EXPECT_EQ(effective.config.cluster.Api(),
            "unix:" + directory_ + "/.fluxnetes/cluster.sock");
}

TEST_F(ConfigFile, FlagsBeatTheEnvironmentWhichBeatsTheFile) {
  Write("database:\n  schema: from_file\nlog:\n  level: warn\n");
  EXPECT_EQ(LoadConfig(sources_).config.database.schema, "from_file");
  environment_["FLUXNETES_SCHEMA"] = "from_variable";
  EXPECT_EQ(LoadConfig(sources_).config.database.schema, "from_variable");
  sources_.flags = {{"database.schema", "from_flag"}};
  const EffectiveConfig effective = LoadConfig(sources_);
  EXPECT_EQ(effective.config.database.schema, "from_flag");
  EXPECT_EQ(effective.config.log.level, LogLevel::kWarn);
  EXPECT_EQ(effective.origin.at("database.schema"), "--schema");
  EXPECT_EQ(effective.origin.at("log.level"), *sources_.file + ":4");
}

TEST_F(ConfigFile, HttpListensOnThisMachineUnlessItIsToldOtherwise) {
  EXPECT_EQ(LoadConfig(sources_).config.http.listen, "127.0.0.1:10292");
  for (const char* address : {"0.0.0.0:80", "[::]:8080", "unix:/run/f/http",
                              "localhost:0", "10.1.2.3:10292"}) {
    environment_["FLUXNETES_HTTP_LISTEN"] = address;
    EXPECT_EQ(LoadConfig(sources_).config.http.listen, address);
  }
  environment_["FLUXNETES_HTTP_LISTEN"] = "off";
  const EffectiveConfig off = LoadConfig(sources_);
  EXPECT_EQ(off.config.http.listen, "");
  EXPECT_THAT(PrintConfig(off), HasSubstr("listen: off"));
  for (const char* wrong :
       {"80", "example.org:80", ":80", "0.0.0.0", "[::]", "1.2.3.4:65536"}) {
    environment_["FLUXNETES_HTTP_LISTEN"] = wrong;
    EXPECT_THAT(ErrorOf(), HasSubstr("http.listen")) << wrong;
  }
}

TEST_F(ConfigFile, PagesAreOffAndNeverLeaveThisMachine) {
  EXPECT_EQ(LoadConfig(sources_).config.web.listen, "");
  environment_["FLUXNETES_WEB_LISTEN"] = "127.0.0.1:10293";
  environment_["FLUXNETES_WEB_HOSTS"] = "Flux.example,flux.example:8443";
  environment_["FLUXNETES_WEB_PREFIX"] = "/flux";
  const EffectiveConfig set = LoadConfig(sources_);
  EXPECT_EQ(set.config.web.listen, "127.0.0.1:10293");
  EXPECT_THAT(set.config.web.hosts,
              ::testing::ElementsAre("flux.example", "flux.example:8443"));
  EXPECT_THAT(PrintConfig(set), HasSubstr("flux.example,flux.example:8443"));
  for (const auto& [variable, wrong] :
       {std::pair("LISTEN", "0.0.0.0:80"), std::pair("HOSTS", "a/b"),
        std::pair("HOSTS", "a,,b"), std::pair("PREFIX", "flux"),
        std::pair("PREFIX", "/flux/"), std::pair("PREFIX", "/a//b")}) {
    const std::string name = std::string("FLUXNETES_WEB_") + variable;
    const std::string right = environment_[name];
    environment_[name] = wrong;
    EXPECT_THAT(ErrorOf(), HasSubstr("web.")) << wrong;
    environment_[name] = right;
  }
}

TEST_F(ConfigFile, ErrorsNameKeyPlaceAndWhatWouldBeRight) {
  Write("schedulerNames: flux\nclient:\n  heartbeat: often\n");
  EXPECT_EQ(ErrorOf(),
            *sources_.file +
                ":3: client.heartbeat: 'often' is not allowed; right would be "
                "a duration up to 24h, like 500ms, 5s, 2m or 1h");
}

TEST_F(ConfigFile, AllErrorsAreToldAtOnce) {
  Write("databse: {}\nlog: {level: loud}\n");
  environment_["FLUXNETES_MAX_CONNECTIONS"] = "none";
  const std::string error = ErrorOf();
  EXPECT_THAT(error,
              HasSubstr(":1: databse: is no key; right would be one of"));
  EXPECT_THAT(error, HasSubstr(":2: log.level: 'loud' is not allowed"));
  EXPECT_THAT(error, HasSubstr("FLUXNETES_MAX_CONNECTIONS: "
                               "database.maxConnections: 'none'"));
}

TEST_F(ConfigFile, UnknownKeysAreRefusedWhereverTheyStand) {
  Write("log:\n  colour: red\n");
  EXPECT_THAT(ErrorOf(), HasSubstr(":2: log.colour: is no key; right would be "
                                   "one of format, level"));
}

TEST_F(ConfigFile, KeysMayNotBeThereTwice) {
  Write("schedulerNames: a\nschedulerNames: b\n");
  EXPECT_THAT(ErrorOf(), HasSubstr("schedulerNames: is there twice"));
}

TEST_F(ConfigFile, SectionsAndValuesAreNotMistakenForEachOther) {
  Write("log: loud\n");
  EXPECT_THAT(ErrorOf(), HasSubstr("log: needs keys below it: format, level"));
  Write("shutdownGrace: [1s]\n");
  EXPECT_THAT(ErrorOf(), HasSubstr("shutdownGrace: needs one value"));
  Write("[]\n");
  EXPECT_THAT(ErrorOf(), HasSubstr("right would be keys with values"));
}

TEST_F(ConfigFile, ListsAreWordsWithCommasOrListsOfYaml) {
  const auto names = [this] {
    return LoadConfig(sources_).config.schedulers.all();
  };
  Write("schedulerNames: fluxnetes,scheduler-plugins-scheduler\n");
  EXPECT_THAT(names(), ::testing::ElementsAre("fluxnetes",
                                              "scheduler-plugins-scheduler"));
  Write("schedulerNames: [a, b.c]\n");
  EXPECT_THAT(names(), ::testing::ElementsAre("a", "b.c"));
  EXPECT_THAT(PrintConfig(LoadConfig(sources_)), HasSubstr("a,b.c"));
  for (const char* wrong :
       {"[]", "''", "a,", "[a, a]", "[A]", "[a, [b]]", "['a,b']", "{a: b}"}) {
    Write(std::string("schedulerNames: ") + wrong + "\n");
    EXPECT_THAT(ErrorOf(), HasSubstr("config.yaml:1: schedulerNames: "))
        << wrong;
  }
}

TEST_F(ConfigFile, KindsOfOwnersAreNamedWithTheirResources) {
  Write(
      "cluster:\n  ownerKinds: [Train=trains.v1.example.org, "
      "MPIJob=mpijobs.v3.kubeflow.org]\n");
  const auto kinds = LoadConfig(sources_).config.cluster.owner_kinds;
  ASSERT_EQ(kinds.size(), 2U);
  EXPECT_EQ(kinds[0].prefix, "/apis/example.org/v1");
  EXPECT_EQ(kinds[1].kind, "MPIJob");
  Write("cluster: {ownerKinds: Train}\n");
  EXPECT_THAT(ErrorOf(), HasSubstr("cluster.ownerKinds: 'Train'"));
}

TEST_F(ConfigFile, EncodingIsProtobufOrJson) {
  EXPECT_TRUE(Config().cluster.protobuf);
  Write("cluster: {encoding: json}\n");
  EXPECT_FALSE(LoadConfig(sources_).config.cluster.protobuf);
  Write("cluster: {encoding: cbor}\n");
  EXPECT_THAT(ErrorOf(), HasSubstr("cluster.encoding: "));
}

TEST_F(ConfigFile, WhatIsNoYamlIsRefusedWithItsLine) {
  Write("a: 1\nb: [1\n");
  EXPECT_THAT(ErrorOf(), HasSubstr("is not YAML"));
  Write(std::string(10'000, '['));
  EXPECT_THAT(ErrorOf(), HasSubstr("is not YAML"));
}

TEST_F(ConfigFile, HugeAndUnreadableFilesAreRefused) {
  Write(std::string(2 << 20, '#'));
  EXPECT_THAT(ErrorOf(), HasSubstr("larger than 1 MiB"));
  sources_.file = directory_ + "/absent.yaml";
  EXPECT_THAT(ErrorOf(), HasSubstr("cannot be read: No such file"));
  sources_.file = directory_;
  EXPECT_THAT(ErrorOf(), HasSubstr("is a directory"));
}

TEST_F(ConfigFile, SecondDocumentIsNotPassedOver) {
  Write("schedulerNames: a\n---\nschedulerNames: b\n");
  EXPECT_THAT(ErrorOf(), HasSubstr("config.yaml:2: a second document"));
}

TEST_F(ConfigFile, FileThatCannotBeLookedForIsNone) {
  std::filesystem::create_directory(directory_ + "/.fluxnetes");
  std::filesystem::create_symlink("config.yaml",
                                  directory_ + "/.fluxnetes/config.yaml");
  EXPECT_EQ(ErrorOf(), "(no error)");
}

TEST_F(ConfigFile, GrpcForOthersNeedsAllItsCertificates) {
  Write("grpc:\n  listen: 0.0.0.0:4242\n");
  EXPECT_THAT(ErrorOf(), HasSubstr("can be reached from elsewhere"));
  Write("grpc:\n  listen: 0.0.0.0:4242\n  tlsCert: a\n  tlsKey: b\n");
  EXPECT_THAT(ErrorOf(), HasSubstr("grpc.clientCA: is missing"));
  Write(
      "grpc:\n  listen: 0.0.0.0:4242\n  tlsCert: a\n  tlsKey: b\n"
      "  clientCA: c\n");
  EXPECT_EQ(ErrorOf(), "(no error)");
}

TEST_F(ConfigFile, EmptyFileIsFine) {
  Write("# nothing yet\n");
  EXPECT_EQ(ErrorOf(), "(no error)");
}

TEST_F(ConfigFile, TheAddressOfTheApiMayComeFromTheEnvironment) {
  Write("cluster: {kind: api}\n");
  environment_["FLUXNETES_CLUSTER"] = "unix:/run/cluster.sock";
  EXPECT_EQ(LoadConfig(sources_).config.cluster.Api(),
            "unix:/run/cluster.sock");
}

TEST_F(ConfigFile, HeartbeatMustBeWellBelowTheTimeToLive) {
  Write("client: {timeToLive: 2s, heartbeat: 1500ms}\n");
  EXPECT_THAT(ErrorOf(), HasSubstr("right would be 1s or less"));
}

TEST_F(ConfigFile, PasswordIsNeverShown) {
  Write("database: {connection: 'host=h password=geheim'}\n");
  EXPECT_THAT(PrintConfig(LoadConfig(sources_)), Not(HasSubstr("geheim")));
  EXPECT_EQ(LoadConfig(sources_).config.database.connection,
            "host=h password=geheim");
}

TEST_F(ConfigFile, PrintedConfigReadsBackAsTheSame) {
  Write(
      "database: {connection: 'host=h dbname=\"x y\"', schema: s1}\n"
      "client: {timeToLive: 90s}\nlog: {format: json}\n");
  const EffectiveConfig effective = LoadConfig(sources_);
  Write(PrintConfig(effective));
  EXPECT_TRUE(LoadConfig(sources_).config == effective.config)
      << PrintConfig(effective);
}

TEST_F(ConfigFile, PrivateFolderIsFoundWithoutFlags) {
  std::filesystem::create_directories(directory_ + "/.fluxnetes/postgres");
  EXPECT_THAT(LoadConfig(sources_).config.database.connection,
              HasSubstr(directory_ + "/.fluxnetes/postgres"));
  environment_["PGHOST"] = "db.example";
  EXPECT_EQ(LoadConfig(sources_).config.database.connection, "");
}

TEST_F(ConfigFile, SettingsRefuseWhatTheyCannotBe) {
  const auto refuses = [](const char* key, const std::string& text) {
    Config config;
    EXPECT_THROW(FindSetting(key)->set(config, text), std::invalid_argument)
        << key << " took " << text;
  };
  for (const char* text :
       {"", "5", "0s", "-1s", "25h", "2d", "9223372036854775807h"})
    refuses("client.timeToLive", text);
  for (const char* text : {"", "A", "1a", "pg_x", "a-b", "a;drop"})
    refuses("database.schema", text);
  for (const char* text : {"1", "1001", "x", "16 ", "99999999999"})
    refuses("database.maxConnections", text);
  for (const char* text : {"", "unix:", "host", "127.0.0.1:99999", ":80",
                           "0.0.0.0:80", "10.0.0.1:80"})
    refuses("cluster.listen", text);
  for (const char* text : {"", "unix:", "host", ":80", "0.0.0.0:port"})
    refuses("grpc.listen", text);
  for (const char* text : {"host", "http://", "https://", "ftp://x"})
    refuses("cluster.address", text);
  for (const char* text : {"", "Flux", "-a", "a b"})
    refuses("schedulerNames", text);
}

}  // namespace
}  // namespace fluxnetes::services

#include "cluster/http/credentials.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "cluster/http/credential_plugin.h"

namespace fluxnetes::cluster {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

class CredentialsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  std::string Path(const std::string& name) const { return folder_ + name; }
  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(Path(name)) << text;
  }
  // A plugin that runs a line of shell.
  CredentialPlugin Shell(const std::string& line) const {
    return {.command = "sh", .arguments = {"-c", line}};
  }
  // Waits for a plugin that runs in the background.
  std::shared_ptr<const Identity> Await(Credentials& credentials) const {
    while (true) {
      try {
        return credentials.Current();
      } catch (const CredentialError& error) {
        if (std::string(error.what()).find("yet") == std::string::npos) throw;
        std::this_thread::sleep_for(milliseconds(5));
      }
    }
  }
  static std::string ErrorOf(const CredentialPlugin& plugin) {
    try {
      RunPlugin(plugin);
      return "(no error)";
    } catch (const CredentialError& error) {
      return error.what();
    }
  }

  const std::string folder_ = ::testing::TempDir() + "credentials_test/";
};

std::string Answer(const std::string& status) {
  return R"({"kind":"ExecCredential","apiVersion":)"
         R"("client.authentication.k8s.io/v1","status":)" +
         status + "}";
}

TEST_F(CredentialsTest, ATokenFileIsReadAgain) {
  Write("token", "first\n");
  const auto credentials =
      TokenFileCredentials(Path("token"), {}, milliseconds(0));
  EXPECT_EQ(credentials->Current()->token, "first");
  Write("token", "second\n");
  EXPECT_EQ(credentials->Current()->token, "second");
  std::filesystem::remove(Path("token"));
  EXPECT_EQ(credentials->Current()->token, "second");
}

TEST_F(CredentialsTest, ATokenThatIsRefusedIsReadAgainAtOnce) {
  Write("token", "first\n");
  const auto credentials = TokenFileCredentials(Path("token"), {});
  const auto first = credentials->Current();
  EXPECT_FALSE(credentials->Refused(*first));
  Write("token", "second\n");
  EXPECT_EQ(credentials->Current()->token, "first");
  EXPECT_TRUE(credentials->Refused(*first));
  EXPECT_EQ(credentials->Current()->token, "second");
}

TEST_F(CredentialsTest, ATokenFileMustHoldOneLine) {
  EXPECT_THROW(TokenFileCredentials(Path("none"), {})->Current(),
               CredentialError);
  Write("token", "a\nb: c\n");
  EXPECT_THROW(TokenFileCredentials(Path("token"), {})->Current(),
               CredentialError);
}

TEST_F(CredentialsTest, APluginIsRunAgainWhenItsAnswerHasExpired) {
  Write("count", "");
  CredentialPlugin plugin = Shell(
      "echo >> " + Path("count") + "; printf '%s' '" +
      Answer(R"({"token":"t","expirationTimestamp":"2001-01-01T00:00:00Z"})") +
      "'");
  const auto credentials = PluginCredentials(plugin);
  // Its identities are always expired; each call may run it again.
  const auto give_up = std::chrono::steady_clock::now() + milliseconds(20'000);
  while (std::filesystem::file_size(Path("count")) < 2 &&
         std::chrono::steady_clock::now() < give_up) {
    EXPECT_THROW(credentials->Current(), CredentialError);
    std::this_thread::sleep_for(milliseconds(20));
  }
  EXPECT_GE(std::filesystem::file_size(Path("count")), 2u);
}

TEST_F(CredentialsTest, ATimeThatNoClockTellsIsTheNearestThatOneDoes) {
  using Clock = std::chrono::system_clock;
  const auto expires = [](const std::string& time) {
    return *ReadPluginAnswer(Answer(R"({"token":"t","expirationTimestamp":")" +
                                    time + R"("})"),
                             {})
                .expires_at;
  };
  EXPECT_EQ(expires("1015-01-01T00:00:00Z"), Clock::time_point());
  EXPECT_GT(expires("9999-12-31T00:00:00Z"),
            Clock::now() + std::chrono::hours(24 * 365 * 200));
}

TEST_F(CredentialsTest, APluginIsKeptUntilItsTokenIsRefused) {
  Write("count", "");
  const auto credentials =
      PluginCredentials(Shell("echo >> " + Path("count") + "; printf '%s' '" +
                              Answer(R"({"token":"t"})") + "'"));
  const auto first = Await(*credentials);
  EXPECT_EQ(first->token, "t");
  EXPECT_EQ(Await(*credentials), first);
  EXPECT_EQ(std::filesystem::file_size(Path("count")), 1u);
  EXPECT_TRUE(credentials->Refused(*first));
  EXPECT_EQ(Await(*credentials)->token, "t");
  EXPECT_EQ(std::filesystem::file_size(Path("count")), 2u);
}

TEST_F(CredentialsTest, APluginIsToldWhatItNeedsToKnow) {
  CredentialPlugin plugin = Shell("printf '" + Answer(R"({"token":"%s-%s"})") +
                                  "' \"$NAME\" \"$KUBERNETES_EXEC_INFO\"");
  plugin.environment = {{"NAME", "ann"}};
  plugin.info = "info";
  EXPECT_EQ(RunPlugin(plugin).identity.token, "ann-info");
}

TEST_F(CredentialsTest, APluginThatFailsSaysHow) {
  EXPECT_THAT(ErrorOf(Shell("exit 3")), HasSubstr("failed with exit code 3"));
  EXPECT_THAT(ErrorOf(Shell("kill -TERM $$")), HasSubstr("by signal 15"));
  CredentialPlugin missing{.command = "/nonexistent/plugin"};
  missing.install_hint = "Install it.";
  EXPECT_THAT(ErrorOf(missing), HasSubstr("cannot be started"));
  EXPECT_THAT(ErrorOf(missing), HasSubstr("Install it."));
  CredentialPlugin slow = Shell("sleep 600 & sleep 600");
  slow.timeout = milliseconds(50);
  EXPECT_THAT(ErrorOf(slow), HasSubstr("within 0.05 s"));
  EXPECT_THAT(ErrorOf(Shell("yes")), HasSubstr("more than 1 MiB"));
}

TEST_F(CredentialsTest, AnAnswerThatCannotBeUsedIsRefused) {
  const CredentialPlugin plugin{.command = "plugin"};
  const auto error = [&](const std::string& text) -> std::string {
    try {
      ReadPluginAnswer(text, plugin);
      return "(no error)";
    } catch (const CredentialError& refused) {
      return refused.what();
    }
  };
  EXPECT_THAT(error("secret"), HasSubstr("does not print an ExecCredential"));
  EXPECT_THAT(error("secret"), ::testing::Not(HasSubstr("secret")));
  EXPECT_THAT(error(R"({"kind":"ExecCredential","apiVersion":"v2"})"),
              HasSubstr("another apiVersion"));
  EXPECT_THAT(error(Answer("{}")), HasSubstr("neither status.token"));
  EXPECT_THAT(error(Answer(R"({"clientKeyData":"k"})")), HasSubstr("only"));
  EXPECT_THAT(error(Answer(R"({"token":"a\nb"})")), HasSubstr("line break"));
  EXPECT_THAT(error(Answer(R"({"token":"a","expirationTimestamp":"soon"})")),
              HasSubstr("RFC 3339"));
  EXPECT_EQ(error(Answer(R"({"token":"a"})")), "(no error)");
}

}  // namespace
}  // namespace fluxnetes::cluster

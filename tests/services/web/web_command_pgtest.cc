#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "services/web/web_command.h"
#include "tests/services/support/command_database.h"

namespace fluxnetes::services {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

class WebCommandTest : public CommandDatabase {};

TEST_F(WebCommandTest, LinkIsPrintedAndItsSecretIsInNoTable) {
  run_.Set("FLUXNETES_WEB_LISTEN", "127.0.0.1:10293");
  ASSERT_EQ(run_("web"), ExitCode::kOk) << run_.err();
  EXPECT_THAT(run_.out(),
              MatchesRegex("http://127.0.0.1:10293/#link=[0-9a-f]+\n"));
  const std::string secret = run_.out().substr(run_.out().find('=') + 1, 64);
  EXPECT_EQ(database_.Ask("SELECT count(*) FROM web_links"), "1");
  EXPECT_EQ(database_.Ask("SELECT count(*) FROM web_links WHERE digest = '" +
                          secret + "'"),
            "0");
}

TEST_F(WebCommandTest, AddressOfTheBrowserIsUsed) {
  ASSERT_EQ(run_("web --url https://flux.example/a"), ExitCode::kOk);
  EXPECT_THAT(run_.out(), HasSubstr("https://flux.example/a/#link="));
  EXPECT_EQ(run_("web --url flux.example"), ExitCode::kUsage);
}

TEST_F(WebCommandTest, PagesThatAreNotServedAreAnError) {
  EXPECT_EQ(run_("web"), ExitCode::kUsage);
  EXPECT_THAT(run_.err(), HasSubstr("web.listen is off"));
  run_.Set("FLUXNETES_WEB_LISTEN", "unix:/run/x.sock");
  EXPECT_EQ(run_("web"), ExitCode::kUsage);
  EXPECT_THAT(run_.err(), HasSubstr("--url"));
}

TEST_F(WebCommandTest, ReadOnlyPagesAreForAViewer) {
  run_.Set("FLUXNETES_WEB_LISTEN", "127.0.0.1:10293");
  run_.Set("FLUXNETES_WEB_READ_ONLY", "on");
  ASSERT_EQ(run_("web"), ExitCode::kOk);
  EXPECT_EQ(database_.Ask("SELECT role FROM web_links"), "viewer");
}

// An xdg-open that keeps what it is given.
class WebBrowserTest : public WebCommandTest {
 protected:
  WebBrowserTest() {
    std::ofstream(folder_ / "xdg-open")
        << "#!/bin/sh\ncp \"$1\" " << folder_.string()
        << "/opened\nstat -c %a \"$1\" >" << folder_.string() << "/mode\n";
    std::filesystem::permissions(folder_ / "xdg-open",
                                 std::filesystem::perms::owner_all);
    run_.Set("PATH", "/nowhere:" + folder_.string());
    run_.Set("XDG_RUNTIME_DIR", folder_.string());
    run_.Set("FLUXNETES_WEB_LISTEN", "127.0.0.1:10293");
    run_.Set("DISPLAY", ":0");
  }

  std::string Read(const char* name) const {
    std::ifstream in(folder_ / name);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  ~WebBrowserTest() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_ = [] {
    std::string name = std::filesystem::temp_directory_path() / "web.XXXXXX";
    return std::filesystem::path(mkdtemp(name.data()));
  }();
};

TEST_F(WebBrowserTest, TerminalWithADisplayOpensABrowser) {
  run_.SetTerminal(80, 24);
  ASSERT_EQ(run_("web"), ExitCode::kOk) << run_.err();
  EXPECT_EQ(run_.out(), "");
  EXPECT_THAT(run_.err(), HasSubstr("open in your browser"));
  EXPECT_THAT(Read("opened"),
              HasSubstr("0; url=http://127.0.0.1:10293/#link="));
  // Nobody else can read the secret.
  EXPECT_EQ(Read("mode"), "600\n");
}

TEST_F(WebBrowserTest, LinkIsPrintedWhereNoBrowserCanBeOpened) {
  const auto prints = [this](const char* command) {
    EXPECT_EQ(run_(command), ExitCode::kOk) << run_.err();
    return run_.out().find("#link=") != std::string::npos &&
           Read("opened").empty();
  };
  EXPECT_TRUE(prints("web"));  // not a terminal
  run_.SetTerminal(80, 24);
  EXPECT_TRUE(prints("web --print"));
  run_.Set("DISPLAY", "");
  EXPECT_TRUE(prints("web"));
  run_.Set("DISPLAY", ":0");
  run_.Set("PATH", "/nowhere");
  EXPECT_TRUE(prints("web"));
  run_.Set("PATH", folder_.string());
  EXPECT_FALSE(prints("web"));
}

}  // namespace
}  // namespace fluxnetes::services

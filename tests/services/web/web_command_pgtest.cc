#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace fluxnetes::services

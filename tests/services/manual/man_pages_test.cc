// Manual pages, checked by the tools that read them.
#include "services/manual/man_pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>

#include "services/grammar/command_line.h"
#include "tests/services/support/command_run.h"

namespace fluxnetes::services {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string Printed(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"),
                                                   pclose);
  std::array<char, 4096> buffer{};
  std::string text;
  while (fgets(buffer.data(), buffer.size(), pipe.get()) != nullptr)
    text += buffer.data();
  return text;
}

class ManPagesInAFolder : public ::testing::Test {
 protected:
  ManPagesInAFolder() {
    char name[] = "/tmp/fluxnetes-man-XXXXXX";
    folder_ = mkdtemp(name);
  }
  ~ManPagesInAFolder() override { std::filesystem::remove_all(folder_); }

  std::string folder_;
  CommandRun run_;
};

TEST_F(ManPagesInAFolder, ThereIsOneForTheProgramAndOneForEachCommand) {
  ASSERT_EQ(run_("man --directory " + folder_), ExitCode::kOk) << run_.err();
  for (const char* page :
       {"fluxnetes.1", "fluxnetes-get.1", "fluxnetes-get-groups.1",
        "fluxnetes-explain-group.1", "fluxnetes-doctor.1"})
    EXPECT_TRUE(std::filesystem::exists(folder_ + "/" + page)) << page;
}

TEST_F(ManPagesInAFolder, GroffFindsNothingToWarnOf) {
  if (std::system("command -v groff >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "there is no groff";
  ASSERT_EQ(run_("man --directory " + folder_), ExitCode::kOk);
  EXPECT_EQ(Printed("groff -man -Tutf8 -ww -z " + folder_ + "/*.1 2>&1"), "");
  std::ofstream(folder_ + "/bad.1") << ".TH X 1\n.NOSUCH\n";
  EXPECT_NE(Printed("groff -man -Tutf8 -ww -z " + folder_ + "/bad.1 2>&1"), "");
}

TEST(ManPages, PageOfACommandHasWhatItsHelpHas) {
  CommandRun run;
  ASSERT_EQ(run("man get groups"), ExitCode::kOk);
  EXPECT_THAT(run.out(),
              AllOf(StartsWith(".TH FLUXNETES\\-GET\\-GROUPS 1"),
                    HasSubstr("\\fB\\-A\\fR, \\fB\\-\\-all\\-namespaces\\fR"),
                    HasSubstr("\\fItable|wide|json|yaml|name\\fR"),
                    HasSubstr(".BR fluxnetes (1)")));
  ASSERT_EQ(run("man"), ExitCode::kOk);
  EXPECT_THAT(run.out(), AllOf(HasSubstr(".SH EXIT STATUS"),
                               HasSubstr("[FLUXNETES_DATABASE]"),
                               HasSubstr(".BR fluxnetes\\-get (1)")));
}

TEST(ManPages, WhatRoffWouldTakeForACommandIsText) {
  const CommandTree tree{
      "x", ".about \\n", {{{"-f"}, "", "'tis a flag"}}, {}, {}};
  const std::string text = ManPages(tree, "1")[0].text;
  EXPECT_THAT(text, HasSubstr("x \\- \\&.about \\en\n"));
  EXPECT_THAT(text, HasSubstr("\n\\&'tis a flag.\n"));
}

TEST(ManPages, CommandThatIsNotThereIsAUsageError) {
  CommandRun run;
  EXPECT_EQ(run("man get lost"), ExitCode::kUsage);
  EXPECT_THAT(run.err(), HasSubstr("no command 'get lost'"));
}

}  // namespace
}  // namespace fluxnetes::services

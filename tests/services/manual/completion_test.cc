#include "services/manual/completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <memory>

#include "services/grammar/command_line.h"

namespace fluxnetes::services {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// Returns the output of a script, with its errors.
std::string Run(const std::string& shell, const std::string& script) {
  char name[] = "/tmp/fluxnetes-completion-XXXXXX";
  close(mkstemp(name));
  std::ofstream(name) << script;
  const std::string command = shell + " " + name + " 2>&1";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"),
                                                   pclose);
  std::array<char, 4096> buffer{};
  std::string text;
  while (fgets(buffer.data(), buffer.size(), pipe.get()) != nullptr)
    text += buffer.data();
  std::remove(name);
  return text;
}

// Returns the shell's candidates after these words, the last of which is being
// typed ('' is a blank before the cursor). A fake program prints its arguments
// and a name with special characters.
std::string InBash(const std::string& words) {
  return Run("bash -u",
             CompletionScript(DescribeCommandLine(), "bash") +
                 "fluxnetes() { echo \"asked:$*\"; echo 'odd$(date)'; }\n"
                 "COMP_WORDS=(" +
                 words +
                 ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n"
                 "__fluxnetes_complete\necho \"${COMPREPLY[*]}\"\n");
}

// Does as _bash_complete of bashcompinit; compadd drops candidates that do not
// match the word.
std::string InZsh(const std::string& words) {
  return Run(
      "zsh -f",
      "compdef() { }\n" + CompletionScript(DescribeCommandLine(), "zsh") +
          "fluxnetes() { echo \"asked:$*\"; }\n"
          "COMP_WORDS=(" +
          words +
          ")\nCOMP_CWORD=$((${#COMP_WORDS} - 1))\n"
          "for name in ${(f)\"$(compgen -F __fluxnetes_complete)\"}; do\n"
          "  [[ $name == ${COMP_WORDS[-1]}* ]] && echo $name\n"
          "done\n");
}

std::string InFish(const std::string& line) {
  return Run("fish --no-config",
             CompletionScript(DescribeCommandLine(), "fish") +
                 "function fluxnetes\n  echo \"asked:$argv\"\nend\n"
                 "complete -C '" +
                 line + "'\n");
}

TEST(Completion, BashOffersCommands) {
  EXPECT_THAT(InBash("fluxnetes ''"), HasSubstr("describe"));
  EXPECT_EQ(InBash("fluxnetes des"), "describe\n");
  EXPECT_EQ(InBash("fluxnetes get n"), "nodes\n");
  EXPECT_EQ(InBash("fluxnetes --database x get n"), "nodes\n");
}

TEST(Completion, OtherNamesOfACommandAreKnown) {
  EXPECT_EQ(InBash("fluxnetes get group ask"),
            "asked:get\\ groups\\ -A\\ -o\\ name\n");
  EXPECT_EQ(InBash("fluxnetes get no --wat"), "--watch\n");
  EXPECT_THAT(InFish("fluxnetes get group ask"), HasSubstr("asked:get groups"));
}

TEST(Completion, BashOffersFlagsOfTheCommandAndSettings) {
  EXPECT_THAT(InBash("fluxnetes get groups --"),
              AllOf(HasSubstr("--until-done"), HasSubstr("--database")));
  EXPECT_THAT(InBash("fluxnetes get nodes --"), Not(HasSubstr("--until-done")));
}

TEST(Completion, BashOffersWhatAFlagTakes) {
  EXPECT_EQ(InBash("fluxnetes get groups -o ''"),
            "table wide json yaml name\n");
  EXPECT_EQ(InBash("fluxnetes get groups --output j"), "json\n");
  EXPECT_EQ(InBash("fluxnetes get groups --output = j"), "json\n");
  EXPECT_EQ(InBash("fluxnetes get groups --output ="),
            "table wide json yaml name\n");
  EXPECT_EQ(InBash("fluxnetes submit -f /etc/hostn"), "/etc/hostname\n");
  EXPECT_EQ(InBash("fluxnetes submit -f /usr/includ"), "/usr/include/\n");
  EXPECT_EQ(InBash("fluxnetes simulate --nodes /etc/hostn"), "/etc/hostname\n");
  EXPECT_EQ(InBash("fluxnetes completion ''"), "bash zsh fish\n");
}

TEST(Completion, BashAsksForNamesAndExpandsNothingInThem) {
  EXPECT_EQ(InBash("fluxnetes describe group ''"),
            "asked:get\\ groups\\ -A\\ -o\\ name odd\\$\\(date\\)\n");
  EXPECT_EQ(InBash("fluxnetes queue pause a"),
            "asked:get\\ queues\\ -o\\ name\n");
  EXPECT_EQ(InBash("fluxnetes queue pause x"), "\n");
  EXPECT_EQ(InBash("fluxnetes account set a"),
            "asked:get\\ accounts\\ -o\\ name\n");
}

TEST(Completion, ZshOffersTheSame) {
  EXPECT_THAT(CompletionScript(DescribeCommandLine(), "zsh"),
              ::testing::StartsWith("#compdef fluxnetes\n"));
  EXPECT_EQ(InZsh("fluxnetes des"), "describe\n");
  EXPECT_EQ(InZsh("fluxnetes get n"), "nodes\n");
  EXPECT_THAT(InZsh("fluxnetes get groups --"), HasSubstr("--until-done\n"));
  EXPECT_EQ(InZsh("fluxnetes get groups -o j"), "json\n");
  EXPECT_EQ(InZsh("fluxnetes submit -f /etc/hostn"), "/etc/hostname\n");
  EXPECT_EQ(InZsh("fluxnetes queue pause a"),
            "asked:get\\ queues\\ -o\\ name\n");
}

TEST(Completion, FishOffersTheSame) {
  EXPECT_EQ(InFish("fluxnetes des"), "describe\tshow one thing in full\n");
  EXPECT_THAT(InFish("fluxnetes get "),
              AllOf(HasSubstr("nodes\t"), Not(HasSubstr("describe"))));
  EXPECT_THAT(InFish("fluxnetes --database x get n"), HasSubstr("nodes\t"));
  EXPECT_THAT(InFish("fluxnetes get groups --"),
              AllOf(HasSubstr("--until-done\t"), HasSubstr("--database\t")));
  EXPECT_THAT(InFish("fluxnetes get nodes --"), Not(HasSubstr("--until-done")));
  EXPECT_THAT(InFish("fluxnetes get groups -o "),
              AllOf(HasSubstr("json"), Not(HasSubstr("asked"))));
  EXPECT_THAT(InFish("fluxnetes submit -f /etc/hostn"),
              HasSubstr("/etc/hostname"));
  EXPECT_EQ(InFish("fluxnetes queue pause "), "asked:get queues -o name\n");
}

}  // namespace
}  // namespace fluxnetes::services

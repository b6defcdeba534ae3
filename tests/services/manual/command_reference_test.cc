#include "services/manual/command_reference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/services/support/command_run.h"

namespace fluxnetes::services {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(CommandReference, HasATableOfCommandsAndASectionForEach) {
  const CommandTree tree{"x",
                         "about x",
                         {{{"--setting"}, "N", "not here", "Settings"}},
                         {},
                         {{"get",
                           "list",
                           {},
                           {},
                           {{"things",
                             "list things",
                             {{{"-h", "--help"}, "", "help"},
                              {{"-o", "--output"}, "a|b", "form_of it"}},
                             {{"NAME", "only this one", false, false},
                              {"WORD", "of these", true, true}},
                             {}}}},
                          {"stop", "end it", {}, {}, {}}}};
  EXPECT_EQ(CommandReference(tree), R"(| command | does |
|---|---|
| [`get things`](#x-get-things) | list things |
| [`stop`](#x-stop) | end it |

### x get things

List things.

```
x get things [NAME] WORD... [flags]
```

| | |
|---|---|
| `NAME` | only this one |
| `WORD` | of these |
| `-o`, `--output a\|b` | form\_of it |

### x stop

End it.

```
x stop [flags]
```
)");
}

TEST(CommandReference, IsPrintedByMan) {
  CommandRun run;
  ASSERT_EQ(run("man --markdown"), ExitCode::kOk) << run.err();
  EXPECT_THAT(
      run.out(),
      AllOf(StartsWith("| command | does |\n"),
            HasSubstr("\n### fluxnetes queue set\n"),
            HasSubstr("\nfluxnetes queue set QUEUE SETTING... [flags]\n"),
            Not(HasSubstr("### fluxnetes queue\n")),
            Not(HasSubstr("--database"))));
}

// CLI11 appends its checks to a flag's type.
TEST(CommandReference, SaysNothingOfHowValuesAreChecked) {
  CommandRun run;
  ASSERT_EQ(run("man --markdown"), ExitCode::kOk);
  EXPECT_THAT(run.out(),
              AllOf(HasSubstr("`bash\\|zsh\\|fish`"), HasSubstr("`--limit N`"),
                    HasSubstr("`--cpus-per-node N`")));
}

}  // namespace
}  // namespace fluxnetes::services

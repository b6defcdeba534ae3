// The program as kubectl's plugin "fluxnetes": its name in help and errors, and
// the kubeconfig's namespace.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "services/config/cluster_access.h"
#include "services/console/exit_code.h"
#include "services/grammar/command_line.h"
#include "tests/services/support/command_run.h"
#include "tests/support/places.h"

namespace fluxnetes::services {
namespace {

using ::testing::HasSubstr;

constexpr auto kKubeconfig = R"(
apiVersion: v1
kind: Config
current-context: mine
clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]
contexts:
  - {name: mine, context: {cluster: c, namespace: physics}}
  - {name: plain, context: {cluster: c}}
)";

class KubectlPlugin : public ::testing::Test {
 protected:
  KubectlPlugin() {
    char name[] = "/tmp/fluxnetes-plugin-XXXXXX";
    folder_ = mkdtemp(name);
    std::ofstream(folder_ + "/config") << kKubeconfig;
  }
  ~KubectlPlugin() override { std::filesystem::remove_all(folder_); }

  std::string NamespaceIn(const std::string& context) const {
    Config config;
    config.cluster.kubeconfig = folder_ + "/config";
    config.cluster.context = context;
    return ContextNamespace(config, [](const char*) { return nullptr; });
  }

  std::string folder_;
};

TEST_F(KubectlPlugin, HelpAndErrorsCallItAsItIsTyped) {
  CommandRun run;
  run.CallAs("/usr/local/bin/kubectl-fluxnetes");
  EXPECT_EQ(run("get groups --help"), ExitCode::kOk);
  EXPECT_THAT(run.out(), HasSubstr("Usage: kubectl fluxnetes get groups"));
  EXPECT_EQ(run("get pods"), ExitCode::kUsage);
  EXPECT_THAT(run.err(), HasSubstr("See 'kubectl fluxnetes get --help'."));
  run.CallAs("/usr/bin/fluxnetes");
  run("--help");
  EXPECT_THAT(run.out(), HasSubstr("Usage: fluxnetes "));
}

TEST_F(KubectlPlugin, KubectlFindsAndRunsIt) {
  if (std::system("command -v kubectl >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "there is no kubectl";
  std::filesystem::create_symlink(testing::BuiltProgram("services/fluxnetes"),
                                  folder_ + "/kubectl-fluxnetes");
  const std::string out = folder_ + "/out";
  EXPECT_EQ(std::system(("PATH=" + folder_ +
                         ":$PATH kubectl fluxnetes explain group --help >" +
                         out + " 2>&1")
                            .c_str()),
            0);
  std::stringstream text;
  text << std::ifstream(out).rdbuf();
  EXPECT_THAT(text.str(), HasSubstr("Usage: kubectl fluxnetes explain group"));
}

TEST_F(KubectlPlugin, NamespaceIsThatOfTheContext) {
  EXPECT_EQ(NamespaceIn(""), "physics");
  EXPECT_EQ(NamespaceIn("plain"), "default");
  try {
    NamespaceIn("lost");
    FAIL();
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ExitCode::kUsage);
    EXPECT_THAT(failure.what(), HasSubstr("there is: mine, plain"));
  }
}

TEST_F(KubectlPlugin, WithoutAKubeconfigItIsTheDefaultOne) {
  EXPECT_EQ(ContextNamespace({}, [](const char*) { return nullptr; }),
            "default");
}

TEST_F(KubectlPlugin, EveryCommandMeansThatNamespaceUnlessOneIsNamed) {
  const CalledAs called{.program = "kubectl fluxnetes",
                        .namespace_name = "physics"};
  const auto parsed = [&](const std::vector<std::string>& arguments) {
    return ParseCommandLine(arguments, called).command;
  };
  EXPECT_EQ(std::get<GetOptions>(parsed({"get", "groups"})).scope, "physics");
  EXPECT_EQ(std::get<GetOptions>(parsed({"get", "groups", "-n", "a"})).scope,
            "a");
  EXPECT_EQ(std::get<GetOptions>(parsed({"get", "groups", "-A"})).scope,
            std::nullopt);
  EXPECT_EQ(std::get<HistoryOptions>(parsed({"history"})).scope, "physics");
  EXPECT_EQ(std::get<ExplainOptions>(parsed({"explain", "group", "x"}))
                .namespace_name,
            "physics");
  EXPECT_EQ(
      std::get<CancelOptions>(parsed({"cancel", "group", "x"})).namespace_name,
      "physics");
}

}  // namespace
}  // namespace fluxnetes::services

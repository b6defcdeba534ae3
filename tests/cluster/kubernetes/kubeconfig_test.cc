#include "cluster/kubernetes/kubeconfig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "cluster/text/yaml_document.h"

namespace fluxnetes::cluster {
namespace {

using ::testing::HasSubstr;

constexpr const char* kPlain = R"(
apiVersion: v1
kind: Config
current-context: home
clusters:
- name: house
  cluster: {server: "https://house:6443", insecure-skip-tls-verify: true}
- name: barn
  cluster:
    server: https://barn
    tls-server-name: barn.example
    certificate-authority-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCg==
contexts:
- name: home
  context: {cluster: house, user: ann}
- name: work
  context: {cluster: barn, user: bob}
- name: nobody
  context: {cluster: barn}
users:
- name: ann
  user: {token: secret}
- name: bob
  user: {tokenFile: token}
)";

class Kubeconfig : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }

  ApiAccess Read(const std::string& text, const std::string& context = "") {
    const KubeconfigFile file{folder_ + "/config", text};
    return ReadKubeconfig({&file, 1}, context);
  }
  std::string ErrorOf(const std::string& text,
                      const std::string& context = "") {
    try {
      Read(text, context);
      return "(no error)";
    } catch (const InputError& error) {
      return error.what();
    }
  }
  std::string WithUser(const std::string& user) {
    return "current-context: c\n"
           "clusters: [{name: c, cluster: {server: 'http://x'}}]\n"
           "contexts: [{name: c, context: {cluster: c, user: u}}]\n"
           "users: [{name: u, user: " +
           user + "}]\n";
  }
  std::string WithCluster(const std::string& cluster) {
    return "current-context: c\n"
           "clusters: [{name: c, cluster: {server: 'https://x', " +
           cluster +
           "}}]\n"
           "contexts: [{name: c, context: {cluster: c}}]\n";
  }
  std::string LoadErrorOf(const std::string& list) {
    try {
      LoadKubeconfigFiles(list);
      return "(no error)";
    } catch (const InputError& error) {
      return error.what();
    }
  }
  void Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ + "/" + name) << text;
  }

  const std::string folder_ = ::testing::TempDir() + "kubeconfig_test";
};

TEST_F(Kubeconfig, TheCurrentContextPairsAClusterAndAUser) {
  const ApiAccess access = Read(kPlain);
  EXPECT_EQ(access.address, "https://house:6443");
  EXPECT_TRUE(access.tls.insecure);
  EXPECT_EQ(access.credentials->Current()->token, "secret");
}

TEST_F(Kubeconfig, AnotherContextMayBeAskedFor) {
  Write("token", "from the file\n");
  const ApiAccess access = Read(kPlain, "work");
  EXPECT_EQ(access.address, "https://barn");
  EXPECT_EQ(access.tls.server_name, "barn.example");
  EXPECT_EQ(access.tls.authorities, "-----BEGIN CERTIFICATE-----\n");
  EXPECT_EQ(access.credentials->Current()->token, "from the file");
  EXPECT_EQ(Read(kPlain, "nobody").credentials, nullptr);
}

TEST_F(Kubeconfig, OfSeveralFilesTheFirstThatHasANameWins) {
  const KubeconfigFile files[] = {
      {folder_ + "/a", "users: [{name: ann, user: {token: other}}]"},
      {folder_ + "/b", kPlain}};
  const ApiAccess access = ReadKubeconfig(files, "");
  EXPECT_EQ(access.address, "https://house:6443");
  EXPECT_EQ(access.credentials->Current()->token, "other");
}

TEST_F(Kubeconfig, CertificatesStandInFilesOrInTheText) {
  Write("client.crt", "-----BEGIN CERTIFICATE-----\n");
  const ApiAccess access =
      Read(WithUser("{client-certificate: client.crt, client-key-data: "
                    "LS0tLS1CRUdJTiBLRVktLS0tLQo=}"));
  EXPECT_EQ(access.credentials->Current()->certificate,
            "-----BEGIN CERTIFICATE-----\n");
  EXPECT_EQ(access.credentials->Current()->key, "-----BEGIN KEY-----\n");
}

TEST_F(Kubeconfig, SaysWhereWhatIsWrong) {
  EXPECT_THAT(ErrorOf("clusters: 7"), HasSubstr("config: clusters"));
  EXPECT_THAT(ErrorOf("a: b"), HasSubstr("current-context is missing"));
  EXPECT_THAT(ErrorOf(kPlain, "hme"),
              HasSubstr("contexts has nothing named \"hme\"; there is: home, "
                        "work, nobody"));
  EXPECT_THAT(ErrorOf(WithUser("{client-key-data: '*'}")),
              HasSubstr("users[0].user: client-key-data is not base64"));
  EXPECT_THAT(ErrorOf(WithUser("{client-certificate: nowhere.crt}")),
              HasSubstr("nowhere.crt cannot be read"));
  EXPECT_THAT(ErrorOf(WithUser(
                  "{client-certificate-data: LS0tLS1CRUdJTiBLRVktLS0tLQo=}")),
              HasSubstr("must both be there"));
  EXPECT_THAT(ErrorOf(WithUser("{client-key-data: YWJj}")),
              HasSubstr("client-key is not in PEM form"));
  EXPECT_THAT(ErrorOf(WithUser("{username: a, password: b}")),
              HasSubstr("username is not supported; right would be token"));
  EXPECT_THAT(ErrorOf(WithUser("{exec: {command: x}}")),
              HasSubstr("exec.apiVersion is missing"));
  EXPECT_THAT(ErrorOf(WithUser("{token: t, exec: {command: x, apiVersion: "
                               "client.authentication.k8s.io/v1}}")),
              HasSubstr("exclude each other"));
}

TEST_F(Kubeconfig, OfAnotherFormIsRefused) {
  EXPECT_THAT(ErrorOf("a: [\n"), HasSubstr("config:"));
  EXPECT_THAT(ErrorOf("a: b\n---\nc: d\n"),
              HasSubstr("config:2: a kubeconfig is one document"));
  EXPECT_THAT(ErrorOf("apiVersion: v2\n"), HasSubstr("config: apiVersion"));
  EXPECT_THAT(ErrorOf("kind: Pod\n"), HasSubstr("config: kind"));
  EXPECT_THAT(ErrorOf("clusters: [{cluster: {}}]"),
              HasSubstr("config: clusters[0].name is missing"));
  EXPECT_THROW(ReadKubeconfig({}, ""), InputError);
}

TEST_F(Kubeconfig, WhoseContextNamesWhatIsNotThereIsRefused) {
  const std::string context =
      "current-context: c\ncontexts: [{name: c, context: {cluster: x, user: "
      "z}}]\n";
  EXPECT_THAT(ErrorOf(context),
              HasSubstr("clusters has nothing named \"x\"; there is: none"));
  EXPECT_THAT(ErrorOf(context +
                      "clusters: [{name: x, cluster: {server: 'https://x'}}]\n"
                      "users: [{name: ann, user: {}}]\n"),
              HasSubstr("users has nothing named \"z\"; there is: ann"));
}

TEST_F(Kubeconfig, ClustersThatCannotBeReachedAsTheySayAreRefused) {
  const auto in = [&](const std::string& cluster) {
    return ErrorOf(WithCluster(cluster));
  };
  EXPECT_EQ(in("tls-server-name: z"), "(no error)");
  EXPECT_THAT(
      ErrorOf("current-context: c\n"
              "clusters: [{name: c, cluster: {server: 'x:6443'}}]\n"
              "contexts: [{name: c, context: {cluster: c}}]\n"),
      HasSubstr("clusters[0].cluster: server: \"x:6443\" is no address; "
                "right would be https://HOST:PORT"));
  EXPECT_THAT(in("proxy-url: 'http://p'"),
              HasSubstr("clusters[0].cluster: proxy-url is not supported"));
  EXPECT_THAT(in("insecure-skip-tls-verify: 1"),
              HasSubstr("insecure-skip-tls-verify"));
  EXPECT_THAT(in("certificate-authority-data: '*'"),
              HasSubstr("certificate-authority-data is not base64"));
  EXPECT_THAT(in("certificate-authority-data: YWJj"),
              HasSubstr("certificate-authority is not in PEM form"));
  EXPECT_THAT(in("certificate-authority: nowhere.crt"),
              HasSubstr("nowhere.crt cannot be read or is empty"));
  EXPECT_THAT(in("insecure-skip-tls-verify: true, certificate-authority-data: "
                 "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCg=="),
              HasSubstr("exclude each other; right would be the former alone"));
  Write("long.crt", "-----BEGIN CERTIFICATE-----\n");
  std::filesystem::resize_file(folder_ + "/long.crt", (1U << 20U) + 1);
  EXPECT_THAT(in("certificate-authority: long.crt"),
              HasSubstr("long.crt is larger than 1 MiB"));
}

TEST_F(Kubeconfig, WaysToSayWhoWeAreThatAreNotKnownAreRefused) {
  for (const char* const key : {"auth-provider", "username", "password", "as",
                                "as-uid", "as-groups", "as-user-extra"})
    EXPECT_THAT(ErrorOf(WithUser("{token: t, " + std::string(key) + ": x}")),
                HasSubstr("users[0].user: " + std::string(key) +
                          " is not supported; right would be token"));
  const std::string v1 = "apiVersion: client.authentication.k8s.io/v1";
  EXPECT_THAT(ErrorOf(WithUser("{exec: {" + v1 + "}}")),
              HasSubstr("exec.command is missing"));
  EXPECT_THAT(ErrorOf(WithUser("{exec: {command: x, apiVersion: "
                               "client.authentication.k8s.io/v1alpha1}}")),
              HasSubstr("exec.apiVersion"));
  EXPECT_THAT(
      ErrorOf(WithUser("{exec: {command: x, env: [{name: A}], " + v1 + "}}")),
      HasSubstr("exec.env[0].value is missing"));
  EXPECT_THAT(ErrorOf(WithUser("{exec: {command: x, args: [[]], " + v1 + "}}")),
              HasSubstr("exec.args"));
}

TEST_F(Kubeconfig, FilesThatCannotBeOneAreRefused) {
  Write("empty", "");
  EXPECT_THAT(LoadErrorOf(folder_ + "/empty"),
              HasSubstr("empty: cannot be read or is empty"));
  Write("large", "a");
  std::filesystem::resize_file(folder_ + "/large", (16U << 20U) + 1);
  EXPECT_THAT(LoadErrorOf(folder_ + "/large"),
              HasSubstr("large: is larger than 16 MiB"));
  EXPECT_THAT(LoadErrorOf(folder_), HasSubstr("cannot be read or is empty"));
  EXPECT_THAT(LoadErrorOf(":"), HasSubstr("no kubeconfig is there"));
}

TEST_F(Kubeconfig, SecretsAreNotInErrors) {
  for (const char* user :
       {"{token: hunter2, as: other}", "{client-key-data: hunter2*}",
        "{password: hunter2}"})
    EXPECT_THAT(ErrorOf(WithUser(user)), ::testing::Not(HasSubstr("hunter2")));
}

TEST_F(Kubeconfig, FilesThatAreNotThereArePassedOver) {
  Write("config", kPlain);
  const auto files =
      LoadKubeconfigFiles(folder_ + "/none:" + folder_ + "/config");
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files[0].text, kPlain);
  EXPECT_THROW(LoadKubeconfigFiles(folder_ + "/none"), InputError);
}

TEST(ServiceAccount, IsReadFromItsFolder) {
  const std::string folder = ::testing::TempDir() + "service_account_test";
  std::filesystem::create_directories(folder);
  EXPECT_THROW(ServiceAccountAccess("10.0.0.1", "443", folder + "/no"),
               InputError);
  EXPECT_THROW(ServiceAccountAccess("10.0.0.1", "", folder), InputError);
  std::ofstream(folder + "/ca.crt") << "-----BEGIN CERTIFICATE-----\n";
  std::ofstream(folder + "/token") << "rotating\n";
  const ApiAccess access = ServiceAccountAccess("fd00::1", "443", folder);
  EXPECT_EQ(access.address, "https://[fd00::1]:443");
  EXPECT_EQ(access.credentials->Current()->token, "rotating");
}

}  // namespace
}  // namespace fluxnetes::cluster

#include "services/web/proxy_identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "services/console/exit_code.h"

namespace fluxnetes::services {
namespace {

using ::testing::HasSubstr;

const std::string kTheSecret = "0123456789abcdef";

class ProxyIdentityTest : public ::testing::Test {
 protected:
  ProxyIdentity WithSecret(const std::string& secret = kTheSecret) {
    web_.listen = "127.0.0.1:0";
    web_.identity = WebIdentity::kProxy;
    web_.proxy_secret = ::testing::TempDir() + "proxy_identity.secret";
    std::ofstream(web_.proxy_secret) << secret << '\n';
    return {web_, Access()};
  }

  static GrpcAccess Access() {
    return {
        "- {name: anna, role: user, namespaces: [a]}\n"
        "- {group: admins, role: operator}\n",
        "access.yaml"};
  }

  // Returns "anna user", or the status and the reason.
  static std::string Said(const ProxyIdentity& identity,
                          std::map<std::string, std::string> headers) {
    const auto answer = identity.Identify({.headers = std::move(headers)});
    if (const auto* refusal = std::get_if<WebRefusal>(&answer))
      return std::to_string(refusal->status) + " " + refusal->why;
    const auto& caller = std::get<Principal>(answer);
    return caller.name + " " + std::string(NameOf(caller.role));
  }

  static std::string WhyNot(const Config::Web& web) {
    try {
      const ProxyIdentity identity(web, {});
    } catch (const Failure& failure) {
      return failure.what();
    }
    return "";
  }

  Config::Web web_;
};

TEST_F(ProxyIdentityTest, ProxyWithTheSecretIsBelieved) {
  const ProxyIdentity identity = WithSecret();
  EXPECT_TRUE(identity.IsUsed());
  EXPECT_EQ(Said(identity, {{"x-proxy-secret", kTheSecret},
                            {"x-forwarded-user", "anna"}}),
            "anna user");
  EXPECT_EQ(Said(identity, {{"x-proxy-secret", kTheSecret},
                            {"x-forwarded-user", "otto"},
                            {"x-forwarded-groups", "all, admins"}}),
            "otto operator");
  EXPECT_EQ(Said(identity,
                 {{"x-proxy-secret", kTheSecret}, {"x-forwarded-user", "zoe"}}),
            "zoe viewer");
}

TEST_F(ProxyIdentityTest, ForgedHeadersAreRefused) {
  const ProxyIdentity identity = WithSecret();
  EXPECT_THAT(Said(identity, {{"x-forwarded-user", "anna"}}),
              HasSubstr("403 X-Forwarded-User is forged"));
  EXPECT_THAT(Said(identity, {{"x-forwarded-user", "anna"},
                              {"x-proxy-secret", "guessed"}}),
              HasSubstr("403 X-Proxy-Secret is not that"));
  EXPECT_THAT(Said(identity, {}), HasSubstr("403 X-Proxy-Secret is missing"));
  EXPECT_THAT(Said(identity, {{"x-proxy-secret", kTheSecret},
                              {"x-forwarded-user", "anna, root"}}),
              HasSubstr("403 X-Forwarded-User has more than one name"));
  EXPECT_THAT(Said(identity, {{"x-proxy-secret", kTheSecret}}),
              HasSubstr("401 the proxy names nobody"));
}

TEST_F(ProxyIdentityTest, SocketThatOnlyTheProxyOpensNeedsNoSecret) {
  web_.listen = "unix:/run/x.sock";
  web_.identity = WebIdentity::kProxy;
  const ProxyIdentity identity(web_, Access());
  EXPECT_EQ(Said(identity, {{"x-forwarded-user", "anna"}}), "anna user");
}

TEST_F(ProxyIdentityTest, WithLinksNoHeaderIsBelieved) {
  for (const char* header :
       {"x-forwarded-user", "x-forwarded-groups", "x-proxy-secret"}) {
    const WebRefusal refusal =
        ProxyIdentity::CheckNoIdentity({.headers = {{header, "root"}}});
    EXPECT_EQ(refusal.status, 403) << header;
    EXPECT_THAT(refusal.why, HasSubstr("web.identity is link"));
  }
  EXPECT_EQ(ProxyIdentity::CheckNoIdentity({}).status, 0);
}

TEST_F(ProxyIdentityTest, SettingsThatDoNotAgreeAreRefused) {
  web_.listen = "127.0.0.1:1";
  EXPECT_EQ(WhyNot(web_), "");
  web_.identity = WebIdentity::kProxy;
  EXPECT_THAT(WhyNot(web_), HasSubstr("every program of this machine"));
  EXPECT_THROW(WithSecret("short"), Failure);
  web_.identity = WebIdentity::kLink;
  EXPECT_THAT(WhyNot(web_), HasSubstr("web.identity is link"));
}

}  // namespace
}  // namespace fluxnetes::services

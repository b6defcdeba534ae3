#include "services/web/proxy_identity.h"

#include <fmt/format.h>
#include <openssl/crypto.h>

#include <utility>
#include <vector>

#include "services/console/exit_code.h"
#include "services/console/input_file.h"

namespace fluxnetes::services {
namespace {

constexpr const char* kUser = "x-forwarded-user";
constexpr const char* kGroupsHeader = "x-forwarded-groups";
constexpr const char* kSecret = "x-proxy-secret";
constexpr std::size_t kShortestSecret = 16;
constexpr std::size_t kLongestSecret = 4'096;
constexpr std::size_t kLongestName = 253;

std::string Trimmed(std::string text) {
  const auto is_blank = [](char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
  };
  while (!text.empty() && is_blank(text.back())) text.pop_back();
  std::size_t begin = 0;
  while (begin < text.size() && is_blank(text[begin])) ++begin;
  return text.substr(begin);
}

std::vector<std::string> NamesIn(const std::string& list) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t comma = std::min(list.find(',', begin), list.size());
    std::string name = Trimmed(list.substr(begin, comma - begin));
    if (!name.empty()) names.push_back(std::move(name));
    begin = comma + 1;
  }
  return names;
}

std::string ReadSecret(const std::string& file) {
  std::string secret = Trimmed(ReadInputFile(file, kLongestSecret));
  if (secret.size() < kShortestSecret)
    throw Failure(ExitCode::kUsage,
                  fmt::format("the secret in {} is too short", file),
                  fmt::format("Right would be {} letters or more, as `openssl "
                              "rand -hex 32` prints.",
                              kShortestSecret));
  return secret;
}

bool IsSame(const std::string& one, const std::string& other) {
  return one.size() == other.size() &&
         CRYPTO_memcmp(one.data(), other.data(), one.size()) == 0;
}

WebRefusal Forged(std::string why) {
  return {.status = 403, .code = "permission_denied", .why = std::move(why)};
}

}  // namespace

ProxyIdentity::ProxyIdentity(const Config::Web& web, GrpcAccess access)
    : used_(web.identity == WebIdentity::kProxy), access_(std::move(access)) {
  const bool has_secret = !web.proxy_secret.empty();
  if (!used_ && has_secret)
    throw Failure(ExitCode::kUsage,
                  "web.proxySecret is set, and web.identity is link",
                  "Set web.identity to proxy, or leave web.proxySecret out.");
  if (used_ && !has_secret && !web.listen.starts_with("unix:"))
    throw Failure(ExitCode::kUsage,
                  fmt::format("web.identity is proxy, and every program of "
                              "this machine reaches {}",
                              web.listen),
                  "Set web.proxySecret, or web.listen to unix:PATH.");
  if (used_ && has_secret) secret_ = ReadSecret(web.proxy_secret);
}

WebRefusal ProxyIdentity::CheckSecret(const WebRequest& request) const {
  if (secret_.empty()) return {};
  const std::string given = request.Header(kSecret);
  if (given.empty())
    return Forged(
        request.Header(kUser).empty()
            ? "X-Proxy-Secret is missing: the pages are reached "
              "through their proxy only"
            : "X-Forwarded-User is forged: X-Proxy-Secret is missing");
  if (!IsSame(given, secret_))
    return Forged("X-Proxy-Secret is not that of web.proxySecret");
  return {};
}

std::variant<Principal, WebRefusal> ProxyIdentity::Identify(
    const WebRequest& request) const {
  if (WebRefusal forged = CheckSecret(request); forged.status != 0)
    return forged;
  const std::string name = Trimmed(request.Header(kUser));
  if (name.empty())
    return WebRefusal{.status = 401,
                      .code = "unauthenticated",
                      .why = "the proxy names nobody in X-Forwarded-User"};
  // A proxy that adds its header behind that of the browser.
  if (name.find(',') != std::string::npos)
    return Forged("X-Forwarded-User has more than one name");
  if (name.size() > kLongestName)
    return Forged(
        fmt::format("X-Forwarded-User has more than {} letters", kLongestName));
  return access_.RightsOf(name, NamesIn(request.Header(kGroupsHeader)));
}

WebRefusal ProxyIdentity::CheckNoIdentity(const WebRequest& request) {
  for (const auto& [header, shown] :
       {std::pair(kUser, "X-Forwarded-User"),
        std::pair(kGroupsHeader, "X-Forwarded-Groups"),
        std::pair(kSecret, "X-Proxy-Secret")})
    if (request.headers.contains(header))
      return Forged(fmt::format(
          "{} is there, and web.identity is link: no proxy says who asks",
          shown));
  return {};
}

}  // namespace fluxnetes::services

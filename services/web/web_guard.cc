#include "services/web/web_guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace fluxnetes::services {
namespace {

std::string LowerHost(std::string host) {
  std::ranges::transform(host, host.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return host;
}

bool IsPort(std::string_view text) {
  return !text.empty() && text.size() <= 5 &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// Any port: a tunnel to this machine may have another one.
bool IsLoopback(std::string_view host) {
  for (const std::string_view name : {"localhost", "127.0.0.1", "[::1]"}) {
    if (!host.starts_with(name)) continue;
    const std::string_view rest = host.substr(name.size());
    if (rest.empty() || (rest.front() == ':' && IsPort(rest.substr(1))))
      return true;
  }
  return false;
}

WebRefusal CheckHost(const WebRequest& request,
                     const std::vector<std::string>& hosts) {
  const std::string host = LowerHost(request.Header("host"));
  if (IsLoopback(host) || std::ranges::find(hosts, host) != hosts.end())
    return {};
  return {.status = 421,
          .code = "permission_denied",
          .why = fmt::format("Host is \"{}\"; right would be localhost, "
                             "127.0.0.1 or a name of web.hosts",
                             host.substr(0, 100))};
}

bool IsOwnOrigin(const std::string& origin, const std::string& host) {
  for (const std::string_view scheme : {"http://", "https://"})
    if (origin.starts_with(scheme) && origin.substr(scheme.size()) == host)
      return true;
  return false;
}

WebRefusal CheckSite(const WebRequest& request) {
  const std::string origin = LowerHost(request.Header("origin"));
  const std::string host = LowerHost(request.Header("host"));
  if (!origin.empty() && !IsOwnOrigin(origin, host))
    return {.status = 403,
            .code = "permission_denied",
            .why = fmt::format("Origin is \"{}\", and the pages are at {}",
                               origin.substr(0, 100), host.substr(0, 100))};
  const std::string site = request.Header("sec-fetch-site");
  if (!site.empty() && site != "same-origin" && site != "none")
    return {.status = 403,
            .code = "permission_denied",
            .why = "the browser says that another site asks"};
  return {};
}

WebRefusal CheckType(const WebRequest& request) {
  std::string type = LowerHost(request.Header("content-type"));
  type = type.substr(0, type.find(';'));
  while (type.ends_with(' ')) type.pop_back();
  if (type == "application/json") return {};
  return {.status = 415,
          .code = "invalid_argument",
          .why = fmt::format(
              "Content-Type is \"{}\"; right would be application/json",
              type.substr(0, 100))};
}

}  // namespace

WebRefusal CheckRequest(const WebRequest& request, WebAsk ask,
                        const std::vector<std::string>& hosts) {
  WebRefusal refusal = CheckHost(request, hosts);
  if (refusal.status != 0 || ask == WebAsk::kFile) return refusal;
  refusal = CheckSite(request);
  if (refusal.status != 0 || request.method != "POST") return refusal;
  return CheckType(request);
}

std::string CookieOf(const WebRequest& request, const std::string& name) {
  std::string_view rest = request.headers.contains("cookie")
                              ? std::string_view(request.headers.at("cookie"))
                              : std::string_view();
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(';'), rest.size());
    const std::string_view pair = rest.substr(0, end);
    if (pair.size() > name.size() && pair.starts_with(name) &&
        pair[name.size()] == '=')
      return std::string(pair.substr(name.size() + 1));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    while (rest.starts_with(' ')) rest.remove_prefix(1);
  }
  return {};
}

}  // namespace fluxnetes::services

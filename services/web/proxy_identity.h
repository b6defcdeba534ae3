// Who asks, by the headers of an authenticating proxy before the pages:
//
//   X-Forwarded-User     one name, "anna"
//   X-Forwarded-Groups   the caller's groups with commas; may be left out
//   X-Proxy-Secret       the text in the file of web.proxySecret, if it is set
//
// The file of grpc.access gives roles to names and groups. With the secret, or
// by a Unix socket that only the proxy can open, nobody else can be believed;
// headers without the secret are refused as forged. With `web.identity: link`
// the pages believe no header, and refuse requests that have one.
//
// Thread-safe.
// Tests: tests/services/web/proxy_identity_test.cc.
#pragma once

#include <string>
#include <variant>

#include "services/config/config.h"
#include "services/database/principal.h"
#include "services/grpc/grpc_access.h"
#include "services/web/web_guard.h"
#include "services/web_http/web_message.h"

namespace fluxnetes::services {

class ProxyIdentity {
 public:
  // Reads the file of the secret. Throws Failure (kUsage) if the settings of
  // `web` do not agree with each other, or the secret is shorter than 16
  // letters.
  ProxyIdentity(const Config::Web& web, GrpcAccess access);

  // False with `web.identity: link`: cookies say who asks.
  bool IsUsed() const { return used_; }

  // Returns the caller, or why the request is refused. With IsUsed() only.
  std::variant<Principal, WebRefusal> Identify(const WebRequest& request) const;

  // Returns a refusal if the request has headers of an identity although
  // cookies say who asks; else one with status 0.
  static WebRefusal CheckNoIdentity(const WebRequest& request);

 private:
  WebRefusal CheckSecret(const WebRequest& request) const;

  bool used_ = false;
  std::string secret_;  // empty: only the proxy can open the socket
  GrpcAccess access_;
};

}  // namespace fluxnetes::services

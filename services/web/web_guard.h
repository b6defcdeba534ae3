// What every request of a browser must be like before anything else is looked
// at, so that no other site can use the browser of someone who is let in:
//
//   Host    is a name of loopback, or one of web.hosts: a name that another
//           site points at this machine is refused
//   Origin  is that of the pages, where the browser says it, and
//           Sec-Fetch-Site says the same, but for a page that is opened
//   type    a call's body is declared as JSON, which no form of a site can do
//
// Functions of values.
#pragma once

#include <string>
#include <vector>

#include "services/web_http/web_message.h"

namespace fluxnetes::services {

enum class WebAsk {
  kFile,  // of the pages themselves, which hold no data
  kData   // anything else
};

struct WebRefusal {
  int status = 0;         // 0: not refused
  std::string code = {};  // of Connect: "permission_denied"
  std::string why = {};
};

// Returns why the request is refused, or a refusal with status 0.
WebRefusal CheckRequest(const WebRequest& request, WebAsk ask,
                        const std::vector<std::string>& hosts);

// Returns the value of a cookie; "" if there is none.
std::string CookieOf(const WebRequest& request, const std::string& name);

}  // namespace fluxnetes::services

#include "services/web/web_command.h"

#include <ostream>
#include <string>

#include "services/database/audit.h"
#include "services/web/browser.h"
#include "services/web/web_sessions.h"

namespace fluxnetes::services {
namespace {

constexpr std::string_view kScheme = "http://";

// Returns where a browser finds the pages, with a '/' at its end.
std::string PagesUrl(const WebOptions& options, const Config& config) {
  std::string url = options.url;
  if (url.empty()) {
    const std::string& listen = config.web.listen;
    if (listen.empty())
      throw Failure(ExitCode::kUsage,
                    "the pages are not served: web.listen is off",
                    "Set web.listen to 127.0.0.1:10293, for serve and for this "
                    "command.");
    if (listen.starts_with("unix:") || listen.ends_with(":0"))
      throw Failure(
          ExitCode::kUsage,
          "web.listen is " + listen +
              ", which does not tell what a browser must ask for",
          "Add --url with the address at which it reaches the pages.");
    url = (listen.starts_with(kScheme) ? "" : std::string(kScheme)) + listen +
          config.web.prefix;
  }
  if (!url.starts_with(kScheme) && !url.starts_with("https://"))
    throw Failure(ExitCode::kUsage, "'" + url + "' is no address of pages",
                  "Right would be http://127.0.0.1:10293/.");
  return url.ends_with('/') ? url : url + "/";
}

}  // namespace

ExitCode RunWeb(const WebOptions& options, const Config& config,
                sql::Pool& pool, Console& console) {
  if (config.web.identity == WebIdentity::kProxy)
    throw Failure(ExitCode::kUsage,
                  "the pages take no links: web.identity is proxy",
                  "Open the address of the proxy before them.");
  const std::string url = PagesUrl(options, config);
  WebSessions sessions(pool);
  const Principal caller{
      .name = ProcessActor().name,
      .role = config.web.read_only ? Role::kViewer : Role::kOperator};
  const std::string link = sessions.MakeLink(caller);
  // Behind the '#' no server and no proxy on the way sees the secret.
  const std::string address = url + "#link=" + link;
  if (!options.print && console.terminal && OpenInBrowser(address, console)) {
    console.err << "The pages are open in your browser; --print prints a link "
                   "instead.\n";
    return ExitCode::kOk;
  }
  console.out << address << '\n';
  console.err << "The link opens the pages once, within five minutes.\n";
  return ExitCode::kOk;
}

}  // namespace fluxnetes::services

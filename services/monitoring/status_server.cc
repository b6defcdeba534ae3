#include "services/monitoring/status_server.h"

#include <utility>

#include "services/console/secret.h"
#include "services/http/http_server.h"

namespace fluxnetes::services {
namespace {

using std::chrono::seconds;

constexpr const char* kPlain = "text/plain; charset=utf-8";
// See Prometheus' exposition formats.
constexpr const char* kExposition = "text/plain; version=0.0.4; charset=utf-8";

HttpAnswer TextAnswer(int status, std::string text, const char* type = kPlain) {
  HttpAnswer answer;
  answer.status = status;
  answer.body = std::move(text);
  answer.content_type = type;
  return answer;
}

HttpAnswer HealthAnswer(const Health& health) {
  return TextAnswer(IsWell(health) ? 200 : 503,
                    MaskPasswords(Describe(health)));
}

HttpAnswer AnswerTo(const StatusServerOptions& options,
                    const HttpQuestion& question) {
  const std::string& path = question.path;
  if (path != "/healthz" && path != "/readyz" && path != "/metrics")
    return TextAnswer(404,
                      "there is nothing here; there is /healthz, /readyz and "
                      "/metrics\n");
  if (question.method != "GET" && question.method != "HEAD")
    return TextAnswer(405, "this is only to be read: GET\n");
  if (path == "/healthz") return HealthAnswer(options.health());
  if (path == "/readyz") return HealthAnswer(options.readiness());
  return TextAnswer(200, options.metrics(), kExposition);
}

}  // namespace

StatusServer::StatusServer(StatusServerOptions options) {
  HttpServerOptions http;
  http.address = options.address;
  http.reach = Reach::kNetwork;
  http.answer = [options = std::move(options)](const HttpQuestion& question) {
    return AnswerTo(options, question);
  };
  http.refuse = [](int, const std::string& why) { return why + "\n"; };
  http.largest_request = std::size_t{16} << 10U;
  http.idle = seconds(75);  // keeps the connection of one scrape a minute
  http.request_time = seconds(5);
  http.answer_time = seconds(10);
  http.connections = 64;
  server_ = std::make_unique<HttpServer>(std::move(http));
}

StatusServer::~StatusServer() { Stop(); }
void StatusServer::Start() { server_->Start(); }
void StatusServer::Stop() { server_->Stop(); }
const std::string& StatusServer::address() const { return server_->address(); }

}  // namespace fluxnetes::services

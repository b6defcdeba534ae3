#include "cluster/kubernetes/api_answer.h"

#include <nlohmann/json.hpp>

#include "cluster/cluster.h"
#include "cluster/json/watch_line.h"

namespace fluxnetes::cluster {
namespace {

constexpr int kInvalid = 422;

}  // namespace

bool IsAway(const HttpResponse& response) {
  return response.status == 0 || response.status == 401 ||
         response.status == 429 || response.status >= 500;
}

bool IsOfAnother(const HttpResponse& response) {
  return response.status == kInvalid &&
         ReadStatusMessage(response.body).find("metadata.uid") !=
             std::string::npos;
}

bool IsRefused(const HttpResponse& response) {
  return response.status >= 400 && response.status != 404 &&
         response.status != 409 && !IsAway(response) && !IsOfAnother(response);
}

void ThrowUnreachable(const std::string& what, const HttpResponse& response) {
  if (response.status == 0) throw Unreachable(what + ": " + response.error);
  const std::string why = what + ": " + std::to_string(response.status) + " " +
                          ReadStatusMessage(response.body);
  if (IsRefused(response)) throw Refused(why);
  throw Unreachable(why);
}

nlohmann::json ParseObject(const HttpResponse& response) {
  return nlohmann::json::parse(response.body, nullptr,
                               /*allow_exceptions=*/false);
}

}  // namespace fluxnetes::cluster

#include "cluster/kubernetes/deletion.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "cluster/json/object_writer.h"
#include "cluster/json/watch_line.h"
#include "cluster/text/json_field.h"

namespace fluxnetes::cluster {
namespace {

constexpr int kNotFoundStatus = 404;

// Returns the UID in the object; "" if there is none.
std::string UidIn(const HttpResponse& response) {
  const auto object = nlohmann::json::parse(response.body, nullptr,
                                            /*allow_exceptions=*/false);
  return Text(At(object, "metadata"), "uid");
}

HttpResponse Get(HttpClient& client, const std::string& path) {
  HttpRequest request;
  request.path = path;
  return client.Send(std::move(request));
}

}  // namespace

Deletion DeleteByName(HttpClient& client, const ApiResource& resource,
                      const std::string& namespace_name,
                      const std::string& name) {
  using Outcome = Deletion::Outcome;
  const std::string path = PathOf(resource, namespace_name, name);
  HttpResponse response = Get(client, path);
  Deletion deletion;
  if (response.Succeeded()) {
    deletion.uid = UidIn(response);
    HttpRequest request;
    request.method = "DELETE";
    request.path = path;
    request.body = WriteDeleteOptions(deletion.uid);
    response = client.Send(std::move(request));
    if (response.Succeeded()) return deletion;
  }
  deletion.outcome =
      response.status == kNotFoundStatus ? Outcome::kMissing : Outcome::kFailed;
  deletion.error =
      response.status == 0 ? response.error : ReadStatusMessage(response.body);
  if (deletion.error.empty())
    deletion.error = "the server answered " + std::to_string(response.status);
  return deletion;
}

bool IsStillThere(HttpClient& client, const ApiResource& resource,
                  const std::string& namespace_name, const std::string& name,
                  const std::string& uid) {
  const HttpResponse response =
      Get(client, PathOf(resource, namespace_name, name));
  if (response.status == kNotFoundStatus) return false;
  return !response.Succeeded() || UidIn(response) == uid;
}

}  // namespace fluxnetes::cluster

#include "services/simulated_api/api_status.h"

#include "cluster/text/json_text.h"

namespace fluxnetes::services {

namespace {

std::string_view ReasonOf(int code) {
  switch (code) {
    case 400:
      return "BadRequest";
    case 404:
      return "NotFound";
    case 405:
      return "MethodNotAllowed";
    case 409:
      return "Conflict";
    case 410:
      return "Expired";
    case 413:
      return "RequestEntityTooLarge";
    case 415:
      return "UnsupportedMediaType";
    case 422:
      return "Invalid";
    case 429:
      return "TooManyRequests";
    case 500:
      return "InternalError";
    case 503:
      return "ServiceUnavailable";
    case 504:
      return "Timeout";
    default:
      return code < 400 ? "" : "Unknown";
  }
}

std::string Write(int code, std::string_view reason, std::string_view message,
                  std::string_view resource, std::string_view name) {
  cluster::JsonText json;
  json.Object([&] {
    json.Field("kind", "Status");
    json.Field("apiVersion", "v1");
    json.Object("metadata", [] {});
    json.Field("status", code < 400 ? "Success" : "Failure");
    json.FieldUnlessEmpty("message", message);
    json.FieldUnlessEmpty("reason", reason);
    if (!name.empty()) {
      json.Object("details", [&] {
        json.Field("name", name);
        json.Field("kind", resource);
      });
    }
    json.Field("code", code);
  });
  return json.Take();
}

std::string QuotedValue(std::string_view name) {
  return '"' + std::string(name) + '"';
}

}  // namespace

HttpAnswer Answer(int code, std::string body) {
  HttpAnswer answer;
  answer.status = code;
  answer.body = std::move(body);
  return answer;
}

std::string WriteStatus(int code, std::string_view message,
                        std::string_view resource, std::string_view name) {
  return Write(code, ReasonOf(code), message, resource, name);
}

HttpAnswer Done(int code) { return Answer(code, WriteStatus(code, "")); }

HttpAnswer BadRequest(std::string_view why) {
  return Answer(400, WriteStatus(400, why));
}

HttpAnswer NotFound(std::string_view resource, std::string_view name) {
  const std::string message =
      std::string(resource) + " " + QuotedValue(name) + " not found";
  return Answer(404, WriteStatus(404, message, resource, name));
}

HttpAnswer NoSuchPath() {
  return Answer(
      404,
      WriteStatus(404, "the server could not find the requested resource"));
}

HttpAnswer MethodNotAllowed() {
  return Answer(405, WriteStatus(405,
                                 "the server does not allow this method on the "
                                 "requested resource"));
}

HttpAnswer AlreadyExists(std::string_view resource, std::string_view name) {
  const std::string message =
      std::string(resource) + " " + QuotedValue(name) + " already exists";
  return Answer(409, Write(409, "AlreadyExists", message, resource, name));
}

HttpAnswer Conflict(std::string_view resource, std::string_view name,
                    std::string_view why) {
  const std::string message = "Operation cannot be fulfilled on " +
                              std::string(resource) + " " + QuotedValue(name) +
                              ": " + std::string(why);
  return Answer(409, WriteStatus(409, message, resource, name));
}

HttpAnswer WrongUid(std::string_view resource, std::string_view name,
                    std::string_view wanted, std::string_view is) {
  return Conflict(
      resource, name,
      "Precondition failed: UID in precondition: " + std::string(wanted) +
          ", UID in object meta: " + std::string(is));
}

HttpAnswer Invalid(std::string_view kind, std::string_view name,
                   std::string_view why) {
  const std::string message = std::string(kind) + " " + QuotedValue(name) +
                              " is invalid: " + std::string(why);
  return Answer(422, WriteStatus(422, message, kind, name));
}

HttpAnswer Expired(std::string_view why) {
  return Answer(410, WriteStatus(410, why));
}

HttpAnswer UnsupportedMediaType() {
  return Answer(
      415, WriteStatus(415,
                       "the body of the request was in an unknown format - "
                       "accepted media types include: application/json"));
}

}  // namespace fluxnetes::services

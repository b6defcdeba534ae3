// The Status objects with which the Kubernetes API says how a request went,
// worded as Kubernetes words them.
#pragma once

#include <string>
#include <string_view>

#include "services/http/http_server.h"

namespace fluxnetes::services {

HttpAnswer Answer(int code, std::string body);

// {"kind":"Status","status":"Failure","code":...}; "Success" below 400.
std::string WriteStatus(int code, std::string_view message,
                        std::string_view resource = {},
                        std::string_view name = {});

// `resource` as Kubernetes says it: "pods", "jobs.batch".
HttpAnswer Done(int code);
HttpAnswer BadRequest(std::string_view why);
HttpAnswer NotFound(std::string_view resource, std::string_view name);
HttpAnswer NoSuchPath();
HttpAnswer MethodNotAllowed();
HttpAnswer AlreadyExists(std::string_view resource, std::string_view name);
// "Operation cannot be fulfilled on pods/binding \"a\": WHY".
HttpAnswer Conflict(std::string_view resource, std::string_view name,
                    std::string_view why);
HttpAnswer WrongUid(std::string_view resource, std::string_view name,
                    std::string_view wanted, std::string_view is);
// "Job.batch \"a\" is invalid: WHY".
HttpAnswer Invalid(std::string_view kind, std::string_view name,
                   std::string_view why);
HttpAnswer Expired(std::string_view why);

}  // namespace fluxnetes::services

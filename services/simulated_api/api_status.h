// Status objects, the Kubernetes API's report on a request, with Kubernetes'
// own wording.
// Tests: tests/services/simulated_api/cluster_api_test.cc.
#pragma once

#include <string>
#include <string_view>

#include "services/http/http_server.h"

namespace fluxnetes::services {

HttpAnswer Answer(int code, std::string body);

// Returns {"kind":"Status","status":"Failure","code":...}; the status is
// "Success" below 400.
std::string WriteStatus(int code, std::string_view message,
                        std::string_view resource = {},
                        std::string_view name = {});

// `resource` in Kubernetes' spelling: "pods", "jobs.batch".
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
// The body is in an encoding that is not read.
HttpAnswer UnsupportedMediaType();

}  // namespace fluxnetes::services

// Deletes an object by its name, as `kubectl delete` does: in the background,
// with what it controls.
// Tests: tests/services/submit/delete_test.cc.
#pragma once

#include <string>

#include "cluster/http/http_client.h"
#include "cluster/kubernetes/api_path.h"

namespace fluxnetes::cluster {

struct Deletion {
  enum class Outcome {
    kDeleted,
    kMissing,  // there is no such object
    kFailed
  };
  Outcome outcome = Outcome::kDeleted;
  std::string uid;    // of the object, if it was deleted and its UID is known
  std::string error;  // of the server or of the connection
};

// Throws nothing; a failure is an outcome.
Deletion DeleteByName(HttpClient& client, const ApiResource& resource,
                      const std::string& namespace_name,
                      const std::string& name);

// Returns false once there is no such object, or one of another UID. An answer
// that is no object counts as true.
bool IsStillThere(HttpClient& client, const ApiResource& resource,
                  const std::string& namespace_name, const std::string& name,
                  const std::string& uid);

}  // namespace fluxnetes::cluster

// Giving manifests to an API server, as `kubectl create` does.
#pragma once

#include <string>

#include "cluster/http/http_client.h"

namespace fluxnetes::cluster {

struct Submitted {
  bool created = false;
  std::string kind;
  std::string namespace_name;
  std::string name;
  std::string uid;    // if created
  std::string error;  // else what the server, or the way to it, had against it
};

// Creates the object of one manifest, as JSON, in the namespace that it names,
// else in `default_namespace`. Kinds: Node, Pod, and those that control pods.
// Never sent twice unless the server said that it did nothing with it, so an
// error without an answer leaves open whether the object exists.
Submitted Submit(HttpClient& client, const std::string& manifest,
                 const std::string& default_namespace);

}  // namespace fluxnetes::cluster

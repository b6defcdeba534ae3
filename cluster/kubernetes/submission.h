// Submits manifests to an API server, as `kubectl create` does.
#pragma once

#include <string>
#include <vector>

#include "cluster/http/http_client.h"

namespace fluxnetes::cluster {

struct Submitted {
  bool created = false;
  bool taken = false;  // not created, as an object of this name exists
  std::string kind;
  std::string namespace_name;
  std::string name;
  std::string uid;    // if created
  std::string error;  // else: the error of the server or of the connection
  std::vector<std::string> warnings;  // of the server
};

// Creates the object of one manifest, given as JSON, in the namespace that it
// names, else in `default_namespace`. Kinds: Node, Pod, the controllers of
// pods, ResourceClaim and ResourceClaimTemplate. A request is sent again only
// if the server certainly did not act on it, so after an error without an
// answer the object may exist.
Submitted Submit(HttpClient& client, const std::string& manifest,
                 const std::string& default_namespace);

}  // namespace fluxnetes::cluster

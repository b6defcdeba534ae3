#include "cluster/http/api_access.h"

#include <fstream>
#include <iterator>

#include "cluster/text/yaml_document.h"

namespace fluxnetes::cluster {

ApiAccess ServiceAccountAccess(const std::string& host, const std::string& port,
                               const std::string& folder) {
  if (host.empty() || port.empty())
    throw InputError(
        "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must both be set, "
        "as they are in a pod");
  const std::string authorities_file = folder + "/ca.crt";
  std::ifstream file(authorities_file, std::ios::binary);
  ApiAccess access;
  access.tls.authorities.assign(std::istreambuf_iterator<char>(file), {});
  if (access.tls.authorities.empty())
    throw InputError(authorities_file +
                     ": cannot be read or is empty; is the service account's "
                     "token mounted (automountServiceAccountToken)?");
  const bool ipv6 = host.find(':') != std::string::npos;
  access.address = "https://" + (ipv6 ? "[" + host + "]" : host) + ":" + port;
  access.credentials = TokenFileCredentials(folder + "/token", {});
  return access;
}

}  // namespace fluxnetes::cluster

// Who we are to an API server. A bearer token may change while we run: the
// kubelet rotates the one of a service account in its file, a plugin of a
// kubeconfig hands out ones that expire.
//
// Thread-safe. Nothing here blocks for longer than it takes to read a small
// file: a plugin runs beside its caller, who is told to ask again.
#pragma once

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace fluxnetes::cluster {

// What a request carries. All may be empty: then we are nobody.
struct Identity {
  std::string token;        // "Authorization: Bearer"
  std::string certificate;  // PEM, with its key
  std::string key;
  bool operator==(const Identity&) const = default;
};

// There is no identity at present, and why, for people: "the credential plugin
// aws failed with exit code 255: ...".
class CredentialError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Credentials {
 public:
  virtual ~Credentials() = default;
  // Throws CredentialError; asking again later may succeed.
  virtual std::shared_ptr<const Identity> Current() = 0;
  // The server has answered 401 to this one. Whether it is worth to ask again:
  // Current() gives another now, or will.
  virtual bool Refused(const Identity& identity) = 0;
};

// The same for ever.
std::unique_ptr<Credentials> FixedCredentials(Identity identity);

// The token stands in a file that is read again once a minute, as client-go
// does, and when the server refuses it.
std::unique_ptr<Credentials> TokenFileCredentials(
    std::string path, Identity rest,
    std::chrono::milliseconds read_again = std::chrono::minutes(1));

// A program that prints an ExecCredential (client.authentication.k8s.io/v1 or
// v1beta1; Kubernetes: "client-go credential plugins").
struct CredentialPlugin {
  std::string command;  // with a slash: a path; else looked for in PATH
  std::vector<std::string> arguments = {};
  std::vector<std::pair<std::string, std::string>> environment = {};  // added
  std::string info = {};  // KUBERNETES_EXEC_INFO: an ExecCredential as JSON
  std::string api_version = "client.authentication.k8s.io/v1";
  std::string install_hint = {};
  std::chrono::milliseconds timeout{60'000};
};
std::unique_ptr<Credentials> PluginCredentials(CredentialPlugin plugin);

}  // namespace fluxnetes::cluster

// Our identity at an API server. A bearer token may change at run time: the
// kubelet rotates a service account's token in its file, and the plugin of a
// kubeconfig issues tokens that expire.
//
// Thread-safe. No call blocks for longer than it takes to read a small file: a
// plugin runs in the background, and its caller gets a CredentialError until it
// has answered.
#pragma once

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace fluxnetes::cluster {

// What a request carries. All fields may be empty: then it is anonymous.
struct Identity {
  std::string token;        // "Authorization: Bearer"
  std::string certificate;  // PEM, with its key
  std::string key;
  bool operator==(const Identity&) const = default;
};

// No identity is available at present; the message has the reason, for people:
// "the credential plugin aws failed with exit code 255: ...".
class CredentialError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Credentials {
 public:
  virtual ~Credentials() = default;
  // Throws CredentialError; a later call may succeed.
  virtual std::shared_ptr<const Identity> Current() = 0;
  // Reports that the server answered 401 to this identity. Returns true if a
  // retry is worthwhile: Current() returns another identity now, or will.
  virtual bool Refused(const Identity& identity) = 0;
};

// An identity that never changes.
std::unique_ptr<Credentials> FixedCredentials(Identity identity);

// The token is in a file, which is read again once a minute, as client-go does,
// and when the server refuses the token.
std::unique_ptr<Credentials> TokenFileCredentials(
    std::string path, Identity rest,
    std::chrono::milliseconds read_again = std::chrono::minutes(1));

// A program that prints an ExecCredential (client.authentication.k8s.io/v1 or
// v1beta1; Kubernetes: "client-go credential plugins").
struct CredentialPlugin {
  std::string command;  // with a slash: a path; else searched in PATH
  std::vector<std::string> arguments = {};
  std::vector<std::pair<std::string, std::string>> environment = {};  // added
  std::string info = {};  // KUBERNETES_EXEC_INFO: an ExecCredential as JSON
  std::string api_version = "client.authentication.k8s.io/v1";
  std::string install_hint = {};
  std::chrono::milliseconds timeout{60'000};
};
std::unique_ptr<Credentials> PluginCredentials(CredentialPlugin plugin);

}  // namespace fluxnetes::cluster

#include "cluster/kubernetes/kubeconfig.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "cluster/files/field_rules.h"
#include "cluster/text/base64.h"
#include "cluster/text/json_field.h"
#include "cluster/text/quote.h"
#include "cluster/text/yaml_document.h"

namespace fluxnetes::cluster {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Kind = FieldRule::Kind;

constexpr std::size_t kLargestFile = std::size_t{16} << 20U;
constexpr std::size_t kLargestPem = std::size_t{1} << 20U;

constexpr std::array kConfigRules = {
    FieldRule{"apiVersion", Kind::kChoice, false, "v1"},
    FieldRule{"kind", Kind::kChoice, false, "Config"},
    FieldRule{"current-context", Kind::kText},
    FieldRule{"clusters", Kind::kList},
    FieldRule{"clusters[].name", Kind::kText, true},
    FieldRule{"clusters[].cluster", Kind::kObject, true},
    FieldRule{"clusters[].cluster.server", Kind::kText},
    FieldRule{"clusters[].cluster.tls-server-name", Kind::kText},
    FieldRule{"clusters[].cluster.insecure-skip-tls-verify", Kind::kFlag},
    FieldRule{"clusters[].cluster.certificate-authority", Kind::kText},
    FieldRule{"clusters[].cluster.certificate-authority-data", Kind::kText},
    FieldRule{"clusters[].cluster.proxy-url", Kind::kText},
    FieldRule{"contexts", Kind::kList},
    FieldRule{"contexts[].name", Kind::kText, true},
    FieldRule{"contexts[].context", Kind::kObject, true},
    FieldRule{"contexts[].context.cluster", Kind::kText},
    FieldRule{"contexts[].context.user", Kind::kText},
    FieldRule{"users", Kind::kList},
    FieldRule{"users[].name", Kind::kText, true},
    FieldRule{"users[].user", Kind::kObject},
    FieldRule{"users[].user.token", Kind::kText},
    FieldRule{"users[].user.tokenFile", Kind::kText},
    FieldRule{"users[].user.client-certificate", Kind::kText},
    FieldRule{"users[].user.client-certificate-data", Kind::kText},
    FieldRule{"users[].user.client-key", Kind::kText},
    FieldRule{"users[].user.client-key-data", Kind::kText},
    FieldRule{"users[].user.exec", Kind::kObject},
    FieldRule{"users[].user.exec.command", Kind::kText, true},
    FieldRule{"users[].user.exec.apiVersion", Kind::kChoice, true,
              "client.authentication.k8s.io/v1 "
              "client.authentication.k8s.io/v1beta1"},
    FieldRule{"users[].user.exec.args", Kind::kTexts},
    FieldRule{"users[].user.exec.env", Kind::kList},
    FieldRule{"users[].user.exec.env[].name", Kind::kText, true},
    FieldRule{"users[].user.exec.env[].value", Kind::kText, true},
    FieldRule{"users[].user.exec.installHint", Kind::kText},
    FieldRule{"users[].user.exec.provideClusterInfo", Kind::kFlag}};

// Unsupported fields that would change our identity.
constexpr std::array kUnknownToUs = {
    "auth-provider", "username",  "password",     "as",
    "as-uid",        "as-groups", "as-user-extra"};

// Reads up to `most` bytes, and one more if the file is longer; empty: it
// cannot be read.
std::string ReadFile(const std::string& path, std::size_t most) {
  std::ifstream file(path, std::ios::binary);
  std::string text(most + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

// A named part of a file, with its place for errors.
struct Part {
  Json value;
  std::string place;
  fs::path folder;

  [[noreturn]] void Refuse(const std::string& why) const {
    throw InputError(place + ": " + why);
  }
};

struct Document {
  Json value;
  const KubeconfigFile* file = nullptr;
};

Document Parse(const KubeconfigFile& file) {
  Document document{Json::object(), &file};
  bool seen = false;
  ReadYaml(file.text, file.path, [&](Json value, int line) {
    if (std::exchange(seen, true))
      throw InputError(file.path + ":" + std::to_string(line) +
                       ": a kubeconfig is one document");
    document.value = std::move(value);
  });
  if (const auto wrong = WhatIsWrong(document.value, kConfigRules))
    throw InputError(file.path + ": " + *wrong);
  return document;
}

std::vector<Document> ParseAll(std::span<const KubeconfigFile> files) {
  if (files.empty()) throw InputError("there is no kubeconfig");
  std::vector<Document> documents;
  for (const KubeconfigFile& file : files) documents.push_back(Parse(file));
  return documents;
}

// Finds the first part of that name.
std::optional<Part> Find(const std::vector<Document>& documents,
                         const char* list, const char* member,
                         const std::string& name) {
  for (const Document& document : documents) {
    int index = 0;
    for (const Json& item : List(At(document.value, list))) {
      const std::string place = document.file->path + ": " + list + "[" +
                                std::to_string(index++) + "]." + member;
      if (Text(item, "name") == name)
        return Part{At(item, member), place,
                    fs::path(document.file->path).parent_path()};
    }
  }
  return std::nullopt;
}

std::string NamesIn(const std::vector<Document>& documents, const char* list) {
  std::string names;
  for (const Document& document : documents)
    for (const Json& item : List(At(document.value, list)))
      names += (names.empty() ? "" : ", ") + Text(item, "name");
  return names.empty() ? "none" : names;
}

Part MustFind(const std::vector<Document>& documents, const char* list,
              const char* member, const std::string& name) {
  auto part = Find(documents, list, member, name);
  if (!part)
    throw InputError(documents.front().file->path + ": " + list +
                     " has nothing named " + Quote(name) +
                     "; there is: " + NamesIn(documents, list));
  return *std::move(part);
}

std::string PathOf(const Part& part, const char* key) {
  const fs::path path = Text(part.value, key);
  return path.empty() ? "" : (part.folder / path).string();
}

// Returns the decoded value of "KEY-data", else the content of the file at KEY.
std::string DataOf(const Part& part, const std::string& key) {
  const std::string data = Text(part.value, (key + "-data").c_str());
  if (!data.empty()) {
    auto bytes = DecodeBase64(data);
    if (!bytes) part.Refuse(key + "-data is not base64 (RFC 4648)");
    return *std::move(bytes);
  }
  const std::string path = PathOf(part, key.c_str());
  if (path.empty()) return "";
  std::string text = ReadFile(path, kLargestPem);
  if (text.empty())
    part.Refuse(key + ": " + path + " cannot be read or is empty");
  if (text.size() > kLargestPem)
    part.Refuse(key + ": " + path + " is larger than 1 MiB");
  return text;
}

void CheckPem(const Part& part, const char* key, const std::string& text) {
  if (!text.empty() && text.find("-----BEGIN ") == std::string::npos)
    part.Refuse(std::string(key) + " is not in PEM form (-----BEGIN ...)");
}

void ReadCluster(const Part& part, ApiAccess& access) {
  access.address = Text(part.value, "server");
  if (!access.address.starts_with("https://") &&
      !access.address.starts_with("http://"))
    part.Refuse("server: " + Quote(access.address) +
                " is no address; right would be https://HOST:PORT");
  if (!Text(part.value, "proxy-url").empty())
    part.Refuse("proxy-url is not supported; take it out and connect directly");
  access.tls.server_name = Text(part.value, "tls-server-name");
  access.tls.insecure = Flag(part.value, "insecure-skip-tls-verify");
  access.tls.authorities = DataOf(part, "certificate-authority");
  CheckPem(part, "certificate-authority", access.tls.authorities);
  if (access.tls.insecure && !access.tls.authorities.empty())
    part.Refuse(
        "certificate-authority and insecure-skip-tls-verify exclude each "
        "other; right would be the former alone");
}

// The information for a plugin: the cluster (provideClusterInfo), and that we
// are not interactive.
std::string PluginInfo(const Json& exec, const Part& cluster) {
  Json info = {{"apiVersion", Text(exec, "apiVersion")},
               {"kind", "ExecCredential"},
               {"spec", {{"interactive", false}}}};
  if (Flag(exec, "provideClusterInfo")) {
    Json told = Json::object();
    for (const char* const key :
         {"server", "tls-server-name", "insecure-skip-tls-verify",
          "certificate-authority-data"})
      if (!At(cluster.value, key).is_null()) told[key] = At(cluster.value, key);
    info["spec"]["cluster"] = std::move(told);
  }
  return info.dump();
}

CredentialPlugin PluginOf(const Part& user, const Part& cluster) {
  const Json& exec = At(user.value, "exec");
  CredentialPlugin plugin;
  plugin.command = Text(exec, "command");
  // A command with a slash is relative to the file, as for client-go.
  if (plugin.command.find('/') != std::string::npos)
    plugin.command = (user.folder / plugin.command).string();
  for (const Json& argument : List(At(exec, "args")))
    plugin.arguments.push_back(argument.get<std::string>());
  for (const Json& variable : List(At(exec, "env")))
    plugin.environment.emplace_back(Text(variable, "name"),
                                    Text(variable, "value"));
  plugin.info = PluginInfo(exec, cluster);
  plugin.api_version = Text(exec, "apiVersion");
  plugin.install_hint = Text(exec, "installHint");
  return plugin;
}

std::shared_ptr<Credentials> ReadUser(const Part& user, const Part& cluster) {
  for (const char* const key : kUnknownToUs)
    if (!At(user.value, key).is_null())
      user.Refuse(std::string(key) +
                  " is not supported; right would be token, tokenFile, "
                  "client-certificate with client-key, or exec");
  Identity fixed{.token = Text(user.value, "token"),
                 .certificate = DataOf(user, "client-certificate"),
                 .key = DataOf(user, "client-key")};
  CheckPem(user, "client-certificate", fixed.certificate);
  CheckPem(user, "client-key", fixed.key);
  if (fixed.certificate.empty() != fixed.key.empty())
    user.Refuse("client-certificate and client-key must both be there");
  if (!At(user.value, "exec").is_null()) {
    if (fixed != Identity{})
      user.Refuse("exec and a fixed token or certificate exclude each other");
    return PluginCredentials(PluginOf(user, cluster));
  }
  // The file overrides `token`, as for client-go.
  const std::string token_file = PathOf(user, "tokenFile");
  if (!token_file.empty()) return TokenFileCredentials(token_file, fixed);
  return FixedCredentials(std::move(fixed));
}

std::string ContextOf(const std::vector<Document>& documents,
                      const std::string& asked) {
  if (!asked.empty()) return asked;
  for (const Document& document : documents) {
    std::string current = Text(document.value, "current-context");
    if (!current.empty()) return current;
  }
  throw InputError(documents.front().file->path +
                   ": current-context is missing, and no context was asked "
                   "for; there is: " +
                   NamesIn(documents, "contexts"));
}

}  // namespace

ApiAccess ReadKubeconfig(std::span<const KubeconfigFile> files,
                         const std::string& context) {
  const std::vector<Document> documents = ParseAll(files);
  const Part found =
      MustFind(documents, "contexts", "context", ContextOf(documents, context));
  const Part cluster =
      MustFind(documents, "clusters", "cluster", Text(found.value, "cluster"));
  ApiAccess access;
  ReadCluster(cluster, access);
  const std::string user = Text(found.value, "user");
  if (!user.empty())
    access.credentials =
        ReadUser(MustFind(documents, "users", "user", user), cluster);
  return access;
}

std::string NamespaceOf(std::span<const KubeconfigFile> files,
                        const std::string& context) {
  const std::vector<Document> documents = ParseAll(files);
  return Text(
      MustFind(documents, "contexts", "context", ContextOf(documents, context))
          .value,
      "namespace");
}

std::vector<KubeconfigFile> LoadKubeconfigFiles(const std::string& list) {
  std::vector<KubeconfigFile> files;
  for (std::size_t begin = 0; begin <= list.size();) {
    const auto end = std::min(list.find(':', begin), list.size());
    const std::string path = list.substr(begin, end - begin);
    begin = end + 1;
    if (path.empty() || !fs::exists(path)) continue;
    std::string text = ReadFile(path, kLargestFile);
    if (text.empty()) throw InputError(path + ": cannot be read or is empty");
    if (text.size() > kLargestFile)
      throw InputError(path + ": is larger than 16 MiB");
    files.push_back({path, std::move(text)});
  }
  if (files.empty())
    throw InputError("no kubeconfig is there: " + list +
                     "; right would be the path of one");
  return files;
}

}  // namespace fluxnetes::cluster

#include "services/config/config.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "cluster/text/yaml_document.h"
#include "services/config/setting_values.h"
#include "services/config/settings.h"
#include "services/console/secret.h"
#include "services/http/listening_socket.h"

namespace fluxnetes::services {
namespace {

constexpr std::size_t kLargestFile = 1 << 20;
constexpr std::string_view kFolder = ".fluxnetes";

// Collects settings and errors, source by source.
struct Loading {
  EffectiveConfig effective;
  std::vector<std::string> errors;

  void Error(const std::string& place, const std::string& what) {
    errors.push_back(MaskPasswords(place + ": " + what));
  }

  void Set(const Setting& setting, const std::string& text,
           const std::string& place) {
    try {
      setting.set(effective.config, text);
      effective.origin[std::string(setting.key)] = place;
    } catch (const std::invalid_argument& error) {
      Error(place, fmt::format("{}: {}", setting.key, error.what()));
    }
  }
};

std::string ReadFile(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw ConfigError(path + ": is a directory; right would be a YAML file");
  std::ifstream in(path, std::ios::binary);
  if (!in)
    throw ConfigError(
        fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  std::string text(kLargestFile + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > kLargestFile)
    throw ConfigError(path + ": is larger than 1 MiB: no configuration file");
  return text;
}

// Returns the key parts that may follow `prefix`, up to the next dot.
std::set<std::string> KeysBelow(const std::string& prefix) {
  std::set<std::string> keys;
  for (const Setting& setting : Settings()) {
    if (!setting.key.starts_with(prefix)) continue;
    const std::string_view rest = setting.key.substr(prefix.size());
    keys.emplace(rest.substr(0, rest.find('.')));
  }
  return keys;
}

void SetList(const Setting& setting, const YAML::Node& values,
             const std::string& place, Loading& loading) {
  std::string text;
  for (const YAML::Node& value : values) {
    if (!value.IsScalar() || value.Scalar().find(',') != std::string::npos) {
      loading.Error(place, fmt::format("{}: is a list of something else than "
                                       "words; right would be {}",
                                       setting.key, setting.about));
      return;
    }
    text += (text.empty() ? "" : ",") + value.Scalar();
  }
  loading.Set(setting, text, place);
}

// The recursion depth is limited by the keys of Settings().
void ReadSection(const YAML::Node& map, const std::string& prefix,
                 const std::string& file, Loading& loading) {
  const std::set<std::string> known = KeysBelow(prefix);
  std::set<std::string> seen;
  for (const auto& entry : map) {
    const YAML::Node& name = entry.first;
    const YAML::Node& value = entry.second;
    const std::string place = fmt::format("{}:{}", file, name.Mark().line + 1);
    const std::string word = name.IsScalar() ? name.Scalar() : "(not a word)";
    const std::string key = prefix + word;
    if (!known.contains(word)) {
      loading.Error(place,
                    fmt::format("{}: is no key; right would be one of {}", key,
                                fmt::join(known, ", ")));
    } else if (!seen.insert(word).second) {
      loading.Error(place, key + ": is there twice");
    } else if (const Setting* setting = FindSetting(key)) {
      if (value.IsScalar())
        loading.Set(*setting, value.Scalar(), place);
      else if (setting->list && value.IsSequence())
        SetList(*setting, value, place, loading);
      else
        loading.Error(
            place, fmt::format("{}: needs one value: {}", key, setting->about));
    } else if (value.IsMap()) {
      ReadSection(value, key + ".", file, loading);
    } else if (!value.IsNull()) {
      loading.Error(place, fmt::format("{}: needs keys below it: {}", key,
                                       fmt::join(KeysBelow(key + "."), ", ")));
    }
  }
}

// The reader itself takes only the first document.
void RefuseSecondDocument(const std::string& text, const std::string& file) {
  int documents = 0;
  cluster::ReadYaml(
      text, file,
      [&](const nlohmann::json&, int line) {
        if (++documents == 2)
          throw ConfigError(fmt::format(
              "{}:{}: a second document; right would be one only", file, line));
      },
      {}, cluster::YamlTypes::kCore);
}

void ReadYaml(const std::string& file, Loading& loading) {
  try {
    const std::string text = ReadFile(file);
    const YAML::Node root = YAML::Load(text);
    if (root.IsNull()) return;
    if (!root.IsMap())
      throw ConfigError(file +
                        ": right would be keys with values, like "
                        "\"shutdownGrace: 10s\"");
    ReadSection(root, "", file, loading);
    if (loading.errors.empty()) RefuseSecondDocument(text, file);
  } catch (const YAML::Exception& error) {
    loading.Error(fmt::format("{}:{}", file, error.mark.line + 1),
                  "is not YAML: " + error.msg);
  } catch (const ConfigError& error) {
    loading.errors.emplace_back(error.what());
  } catch (const cluster::InputError& error) {
    loading.errors.emplace_back(error.what());
  }
}

void ReadEnvironment(const ConfigSources& sources, Loading& loading) {
  for (const Setting& setting : Settings()) {
    const std::string variable(setting.variable);
    if (const char* text = sources.environment(variable.c_str());
        text != nullptr && *text != '\0')
      loading.Set(setting, text, variable);
  }
}

void ReadFlags(const ConfigSources& sources, Loading& loading) {
  for (const auto& [key, text] : sources.flags)
    if (const Setting* setting = FindSetting(key))
      loading.Set(*setting, text, fmt::format("--{}", setting->flag));
}

std::optional<std::string> FileOf(const ConfigSources& sources) {
  if (sources.file) return sources.file;
  if (const char* path = sources.environment("FLUXNETES_CONFIG");
      path != nullptr && *path != '\0')
    return path;
  for (const std::string& path :
       {fmt::format("{}/{}/config.yaml", sources.directory, kFolder),
        std::string("/etc/fluxnetes/config.yaml")}) {
    std::error_code ignored;  // a path that cannot be examined counts as absent
    if (std::filesystem::is_regular_file(path, ignored)) return path;
  }
  return std::nullopt;
}

// Returns the socket folder of a private server (hack/postgres): the server's
// folder, or, if that path is too long for a socket, the one named in the file
// "socket".
std::string SocketFolder(const std::filesystem::path& server) {
  std::ifstream in(server / "socket");
  std::string folder;
  return std::getline(in, folder) && !folder.empty() ? folder : server.string();
}

std::string LibpqQuoted(const std::string& value) {
  std::string quoted = "'";
  for (const char c : value) {
    if (c == '\'' || c == '\\') quoted.push_back('\\');
    quoted.push_back(c);
  }
  return quoted + "'";
}

// Applies the defaults of a quick start's folder .fluxnetes to settings that
// have no other source.
void ApplyFolder(const ConfigSources& sources, Loading& loading) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path folder =
      fs::absolute(fs::path(sources.directory) / kFolder, ignored)
          .lexically_normal();
  const auto offer = [&](std::string_view key, const std::string& value) {
    const auto [origin, absent] =
        loading.effective.origin.try_emplace(std::string(key), kFolder);
    if (absent) FindSetting(key)->set(loading.effective.config, value);
  };
  offer("cluster.listen", "unix:" + (folder / "cluster.sock").string());
  if (fs::is_directory(folder, ignored))
    offer("grpc.listen", "unix:" + (folder / "grpc.sock").string());
  if (fs::is_regular_file(folder / "nodes.yaml", ignored))
    offer("cluster.nodes", (folder / "nodes.yaml").string());
  constexpr std::array kLibpq = {"PGHOST", "PGHOSTADDR", "PGSERVICE",
                                 "PGDATABASE"};
  const bool libpq = std::any_of(
      kLibpq.begin(), kLibpq.end(),
      [&](const char* name) { return sources.environment(name) != nullptr; });
  if (!libpq && fs::is_directory(folder / "postgres", ignored))
    offer("database.connection",
          fmt::format("host={} dbname=fluxnetes user=postgres",
                      LibpqQuoted(SocketFolder(folder / "postgres"))));
}

// The certificate files must be all set or all empty; they may be empty only on
// an address that other machines cannot reach.
void CheckGrpc(const Config::Grpc& grpc,
               const std::function<std::string(const char*)>& place,
               Loading& loading) {
  const std::pair<const char*, const std::string*> files[] = {
      {"grpc.tlsCert", &grpc.certificate},
      {"grpc.tlsKey", &grpc.key},
      {"grpc.clientCA", &grpc.client_ca}};
  const bool any =
      std::any_of(std::begin(files), std::end(files),
                  [](const auto& f) { return !f.second->empty(); });
  for (const auto& [key, path] : files)
    if (any && path->empty())
      loading.Error(place(key),
                    fmt::format("{}: is missing; right would be all of "
                                "grpc.tlsCert, grpc.tlsKey and grpc.clientCA, "
                                "or none",
                                key));
  if (!any && !grpc.listen.empty() && !IsOfThisMachine(grpc.listen))
    loading.Error(place("grpc.listen"),
                  fmt::format("grpc.listen: {} can be reached from elsewhere; "
                              "right would be unix:PATH, 127.0.0.1:PORT, or "
                              "grpc.tlsCert, grpc.tlsKey and grpc.clientCA",
                              grpc.listen));
}

void CheckTogether(Loading& loading) {
  const Config& config = loading.effective.config;
  const auto& origin = loading.effective.origin;
  const auto place = [&](const char* key) {
    const auto found = origin.find(key);
    return found == origin.end() ? std::string("default") : found->second;
  };
  if (config.client.heartbeat * 2 > config.client.time_to_live)
    loading.Error(
        place("client.heartbeat"),
        fmt::format("client.heartbeat: {} is more than half of "
                    "client.timeToLive ({}); right would be {} or less",
                    FormatDuration(config.client.heartbeat),
                    FormatDuration(config.client.time_to_live),
                    FormatDuration(config.client.time_to_live / 2)));
  CheckGrpc(config.grpc, place, loading);
}

std::string YamlValue(const std::string& text) {
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' ||
           c == '/' || c == '_' || c == '-';
  });
  return plain ? text
               : nlohmann::json(text).dump(
                     -1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

std::string Config::Cluster::Api() const {
  if (kind == ClusterKind::kApi || !address.empty()) return address;
  return listen.starts_with("unix:") ? listen : "http://" + listen;
}

EffectiveConfig LoadConfig(const ConfigSources& given) {
  ConfigSources sources = given;
  if (!sources.environment)
    sources.environment = [](const char* name) { return std::getenv(name); };
  Loading loading;
  if (const auto file = FileOf(sources)) ReadYaml(*file, loading);
  ReadEnvironment(sources, loading);
  ReadFlags(sources, loading);
  ApplyFolder(sources, loading);
  if (loading.errors.empty()) CheckTogether(loading);
  if (!loading.errors.empty())
    throw ConfigError(fmt::format("{}", fmt::join(loading.errors, "\n")));
  for (const Setting& setting : Settings())
    loading.effective.origin.try_emplace(std::string(setting.key), "default");
  return loading.effective;
}

std::string PrintConfig(const EffectiveConfig& effective) {
  std::string text;
  std::string section;
  for (const Setting& setting : Settings()) {
    const std::size_t dot = setting.key.find('.');
    const std::string in(dot == std::string_view::npos
                             ? std::string_view()
                             : setting.key.substr(0, dot));
    if (in != section && !in.empty()) text += in + ":\n";
    section = in;
    const std::string_view name = dot == std::string_view::npos
                                      ? setting.key
                                      : setting.key.substr(dot + 1);
    const std::string value = MaskPasswords(setting.get(effective.config));
    text += fmt::format("{}{}{}: {}  # {}\n", in.empty() ? "" : "  ",
                        value.empty() ? "# " : "", name,
                        value.empty() ? "(not set)" : YamlValue(value),
                        effective.origin.at(std::string(setting.key)));
  }
  return text;
}

}  // namespace fluxnetes::services

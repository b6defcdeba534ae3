// Runs a credential plugin once and reads its answer.
// Tests: tests/cluster/http/credentials_test.cc.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "cluster/http/credentials.h"

namespace fluxnetes::cluster {

struct PluginAnswer {
  Identity identity;
  std::optional<std::chrono::system_clock::time_point> expires_at;
};

// Runs the plugin and waits for its answer. Throws CredentialError if the
// plugin cannot be started, fails, takes too long, or ReadPluginAnswer refuses
// its output.
PluginAnswer RunPlugin(const CredentialPlugin& plugin);

// Reads the plugin's output. Throws CredentialError with the reason, which
// never quotes the text because it holds secrets.
PluginAnswer ReadPluginAnswer(std::string_view text,
                              const CredentialPlugin& plugin);

}  // namespace fluxnetes::cluster

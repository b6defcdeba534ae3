// One run of a credential plugin.
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

// Runs it and waits for its answer. Throws CredentialError: it cannot be
// started, fails, takes too long, or says what ReadPluginAnswer refuses.
PluginAnswer RunPlugin(const CredentialPlugin& plugin);

// Reads what it has printed. Throws CredentialError that says what is wrong;
// the text itself, which holds secrets, is never repeated.
PluginAnswer ReadPluginAnswer(std::string_view text,
                              const CredentialPlugin& plugin);

}  // namespace fluxnetes::cluster

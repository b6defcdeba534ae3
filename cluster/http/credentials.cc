#include "cluster/http/credentials.h"

#include <fmt/format.h>

#include <fstream>
#include <optional>
#include <thread>

#include "cluster/http/credential_plugin.h"
#include "sql/mutex.h"

namespace fluxnetes::cluster {
namespace {

using std::chrono::steady_clock;
using std::chrono::system_clock;

constexpr std::size_t kLongestToken = std::size_t{1} << 20U;
constexpr std::chrono::seconds kPluginAgain{1};

class Fixed final : public Credentials {
 public:
  explicit Fixed(Identity identity)
      : identity_(std::make_shared<Identity>(std::move(identity))) {}
  std::shared_ptr<const Identity> Current() override { return identity_; }
  bool Refused(const Identity&) override { return false; }

 private:
  const std::shared_ptr<const Identity> identity_;
};

std::string ReadToken(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string token(kLongestToken, '\0');
  file.read(token.data(), static_cast<std::streamsize>(token.size()));
  token.resize(static_cast<std::size_t>(file.gcount()));
  const auto end = token.find_last_not_of(" \t\r\n");
  token.resize(end == std::string::npos ? 0 : end + 1);
  if (token.empty())
    throw CredentialError(
        fmt::format("the token file {} cannot be read or is empty", path));
  if (token.find_first_of("\r\n") != std::string::npos)
    throw CredentialError(
        fmt::format("the token file {} holds more than a line", path));
  return token;
}

class TokenFile final : public Credentials {
 public:
  TokenFile(std::string path, Identity rest,
            std::chrono::milliseconds read_again)
      : path_(std::move(path)), rest_(std::move(rest)), again_(read_again) {}

  std::shared_ptr<const Identity> Current() override {
    const sql::MutexLock lock(mutex_);
    if (!current_ || steady_clock::now() >= read_at_ + again_) Read();
    return current_;
  }

  bool Refused(const Identity& identity) override {
    const sql::MutexLock lock(mutex_);
    try {
      if (!current_ || *current_ == identity) Read();
      return *current_ != identity;
    } catch (const CredentialError&) {
      return false;
    }
  }

 private:
  // If the file is missing while it is being replaced, the old token stays.
  void Read() REQUIRES(mutex_) {
    try {
      Identity read = rest_;
      read.token = ReadToken(path_);
      if (!current_ || read != *current_)
        current_ = std::make_shared<Identity>(std::move(read));
    } catch (const CredentialError&) {
      if (!current_) throw;
    }
    read_at_ = steady_clock::now();
  }

  const std::string path_;
  const Identity rest_;
  const std::chrono::milliseconds again_;
  sql::Mutex mutex_;
  std::shared_ptr<const Identity> current_ GUARDED_BY(mutex_);
  steady_clock::time_point read_at_ GUARDED_BY(mutex_);
};

class Plugin final : public Credentials {
 public:
  explicit Plugin(CredentialPlugin plugin) : plugin_(std::move(plugin)) {}

  std::shared_ptr<const Identity> Current() override {
    const sql::MutexLock lock(mutex_);
    if (current_ && (!expires_at_ || system_clock::now() < *expires_at_))
      return current_;
    RunBeside();
    if (!trouble_.empty()) throw CredentialError(trouble_);
    throw CredentialError("the credential plugin " + plugin_.command +
                          " has not answered yet");
  }

  bool Refused(const Identity& identity) override {
    const sql::MutexLock lock(mutex_);
    if (current_ && *current_ == identity) current_.reset();
    return true;
  }

 private:
  void RunBeside() REQUIRES(mutex_) {
    if (running_ || steady_clock::now() < not_before_) return;
    running_ = true;
    thread_ = std::jthread([this] {
      std::optional<PluginAnswer> answer;
      std::string trouble;
      try {
        answer = RunPlugin(plugin_);
      } catch (const CredentialError& error) {
        trouble = error.what();
      }
      const sql::MutexLock lock(mutex_);
      running_ = false;
      not_before_ = steady_clock::now() + kPluginAgain;
      trouble_ = std::move(trouble);
      if (!answer) return;
      current_ = std::make_shared<Identity>(std::move(answer->identity));
      expires_at_ = answer->expires_at;
    });
  }

  const CredentialPlugin plugin_;
  sql::Mutex mutex_;
  std::shared_ptr<const Identity> current_ GUARDED_BY(mutex_);
  std::optional<system_clock::time_point> expires_at_ GUARDED_BY(mutex_);
  std::string trouble_ GUARDED_BY(mutex_);  // of the last run
  bool running_ GUARDED_BY(mutex_) = false;
  steady_clock::time_point not_before_ GUARDED_BY(mutex_);
  // Last member: joined before the others are destroyed.
  std::jthread thread_ GUARDED_BY(mutex_);
};

}  // namespace

std::unique_ptr<Credentials> FixedCredentials(Identity identity) {
  return std::make_unique<Fixed>(std::move(identity));
}

std::unique_ptr<Credentials> TokenFileCredentials(
    std::string path, Identity rest, std::chrono::milliseconds read_again) {
  return std::make_unique<TokenFile>(std::move(path), std::move(rest),
                                     read_again);
}

std::unique_ptr<Credentials> PluginCredentials(CredentialPlugin plugin) {
  return std::make_unique<Plugin>(std::move(plugin));
}

}  // namespace fluxnetes::cluster

#include "services/web/web_sessions.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <span>
#include <stdexcept>

#include "services/web/web_sessions_queries.h"
#include "sql/connection/transaction.h"

namespace fluxnetes::services {
namespace {

using std::chrono::steady_clock;

constexpr std::size_t kSecretBytes = 32;
constexpr std::size_t kRemembered = 10'000;

std::string Hexadecimal(std::span<const unsigned char> bytes) {
  std::string text;
  for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

std::string NewSecret() {
  std::array<unsigned char, kSecretBytes> bytes{};
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1)
    throw std::runtime_error("OpenSSL has no random numbers");
  return Hexadecimal(bytes);
}

std::string DigestOf(const std::string& secret) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (EVP_Digest(secret.data(), secret.size(), digest.data(), &size,
                 EVP_sha256(), nullptr) != 1)
    throw std::runtime_error("OpenSSL makes no SHA-256");
  return Hexadecimal(std::span(digest).first(size));
}

Principal CallerIn(const sql::Row& row) {
  return {.name = row.Get<std::string>("caller"),
          .role = row.Get<std::string>("role") == NameOf(Role::kOperator)
                      ? Role::kOperator
                      : Role::kViewer};
}

}  // namespace

std::string WebSessions::MakeLink(const Principal& caller) {
  std::string secret = NewSecret();
  sql::Transaction transaction(pool_);
  transaction.Run(queries::kDropOldWebLinks);
  transaction.Run(queries::kDropOldWebSessions);
  transaction.Run(queries::kMakeWebLink, DigestOf(secret), caller.name,
                  std::string(NameOf(caller.role)),
                  static_cast<double>(times_.link.count()));
  transaction.Commit();
  return secret;
}

std::optional<std::string> WebSessions::Open(const std::string& link) {
  std::string secret = NewSecret();
  sql::Transaction transaction(pool_);
  const sql::Result rows = transaction.Run(
      queries::kOpenWebSession, DigestOf(link), DigestOf(secret),
      static_cast<double>(times_.session.count()));
  transaction.Commit();
  if (rows.empty()) return std::nullopt;
  return secret;
}

std::optional<Principal> WebSessions::Find(const std::string& secret) {
  if (secret.empty()) return std::nullopt;
  const std::string digest = DigestOf(secret);
  const auto now = steady_clock::now();
  {
    const sql::MutexLock lock(mutex_);
    const auto known = known_.find(digest);
    if (known != known_.end() && known->second.until > now)
      return known->second.caller;
  }
  sql::Transaction transaction(pool_, sql::Isolation::kReadOnly);
  const sql::Result rows = transaction.Run(queries::kFindWebSession, digest);
  const sql::MutexLock lock(mutex_);
  known_.erase(digest);
  if (rows.empty()) return std::nullopt;
  if (known_.size() >= kRemembered) known_.clear();
  const std::chrono::milliseconds left =
      std::chrono::seconds(rows[0].Get<std::int64_t>("seconds_left"));
  Known& known = known_[digest];
  known = {.caller = CallerIn(rows[0]),
           .until = now + std::min(left, times_.remembered)};
  return known.caller;
}

void WebSessions::End(const std::string& secret) {
  const std::string digest = DigestOf(secret);
  {
    const sql::MutexLock lock(mutex_);
    known_.erase(digest);
  }
  sql::Transaction transaction(pool_);
  transaction.Run(queries::kEndWebSession, digest);
  transaction.Commit();
}

}  // namespace fluxnetes::services

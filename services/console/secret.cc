#include "services/console/secret.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace fluxnetes::services {
namespace {

constexpr std::string_view kMask = "***";
constexpr std::array<std::string_view, 2> kKeys = {"sslpassword", "password"};

bool StartsWithIgnoringCase(std::string_view text, std::string_view word) {
  return text.size() >= word.size() &&
         std::equal(word.begin(), word.end(), text.begin(), [](char a, char b) {
           return a == std::tolower(static_cast<unsigned char>(b));
         });
}

// Returns the end of the value that begins at `at`: quoted, or up to a
// separator.
std::size_t EndOfValue(std::string_view text, std::size_t at) {
  if (at < text.size() && (text[at] == '\'' || text[at] == '"')) {
    const char quote = text[at++];
    while (at < text.size() && text[at] != quote)
      at += text[at] == '\\' ? 2 : 1;
    return std::min(at + 1, text.size());
  }
  while (at < text.size() &&
         !std::isspace(static_cast<unsigned char>(text[at])))
    if (text[at] == '&' || text[at] == '"')
      break;
    else
      at += text[at] == '\\' ? 2 : 1;
  return std::min(at, text.size());
}

// Returns the length of "password = " at `at`, with the sign; 0 if absent.
std::size_t KeyLength(std::string_view text, std::size_t at) {
  for (const std::string_view key : kKeys) {
    if (!StartsWithIgnoringCase(text.substr(at), key)) continue;
    std::size_t end = at + key.size();
    while (end < text.size() && text[end] == ' ') ++end;
    if (end == text.size() || text[end] != '=') continue;
    ++end;
    while (end < text.size() && text[end] == ' ') ++end;
    return end - at;
  }
  return 0;
}

// Finds the password in "://user:password@".
bool FindInUri(std::string_view text, std::size_t from, std::size_t& begin,
               std::size_t& end) {
  const std::size_t scheme = text.find("://", from);
  if (scheme == std::string_view::npos) return false;
  const std::size_t authority = scheme + 3;
  std::size_t stop = text.find_first_of("/?# \t\n\"", authority);
  stop = std::min(stop, text.size());
  const std::size_t at = text.substr(0, stop).rfind('@');
  if (at == std::string_view::npos || at < authority) return false;
  const std::size_t colon = text.find(':', authority);
  if (colon == std::string_view::npos || colon > at) return false;
  begin = colon + 1;
  end = at;
  return true;
}

std::string MaskKeys(std::string_view text) {
  std::string masked;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t key = KeyLength(text, at);
    if (key == 0) {
      masked.push_back(text[at++]);
      continue;
    }
    masked.append(text.substr(at, key)).append(kMask);
    at = EndOfValue(text, at + key);
  }
  return masked;
}

}  // namespace

std::string MaskPasswords(std::string_view text) {
  std::string masked = MaskKeys(text);
  for (std::size_t from = masked.find("://"); from != std::string::npos;
       from = masked.find("://", from + 3)) {
    std::size_t begin = 0;
    std::size_t end = 0;
    if (FindInUri(masked, from, begin, end))
      masked.replace(begin, end - begin, kMask);
  }
  return masked;
}

}  // namespace fluxnetes::services

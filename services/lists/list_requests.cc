#include "services/lists/list_requests.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "services/feed/group_query.h"
#include "services/grpc/grpc_calls.h"
#include "services/records/group_search.h"

namespace fluxnetes::services {
namespace {

constexpr std::int64_t kLongestSince = std::int64_t{10} * 366 * 86'400;

std::int64_t TokenNumber(const std::string& text) {
  std::int64_t number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  if (error != std::errc() || end != last)
    throw GrpcRefusal(
        GrpcCode::kInvalidArgument,
        "page_token is none of ours; right would be the next_page_token of "
        "an answer",
        "page_token");
  return number;
}

}  // namespace

std::optional<std::string> TextIfAny(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

std::optional<std::string> SearchIfAny(const std::string& text) {
  return TextIfAny(LowerCase(text));
}

sql::Timestamp SinceOf(std::int64_t seconds, std::int64_t otherwise,
                       sql::Timestamp now, const char* field) {
  if (seconds < 0 || seconds > kLongestSince)
    throw GrpcRefusal(GrpcCode::kInvalidArgument,
                      fmt::format("{} is {}; right would be 0 to {}", field,
                                  seconds, kLongestSince),
                      field);
  return now - std::chrono::seconds(seconds == 0 ? otherwise : seconds);
}

std::optional<std::int64_t> NumberToken(const std::string& token) {
  if (token.empty()) return std::nullopt;
  return TokenNumber(token);
}

std::optional<std::pair<std::int64_t, std::int64_t>> PairToken(
    const std::string& token) {
  if (token.empty()) return std::nullopt;
  const std::size_t slash = std::min(token.find('/'), token.size() - 1);
  return std::pair(TokenNumber(token.substr(0, slash)),
                   TokenNumber(token.substr(slash + 1)));
}

}  // namespace fluxnetes::services

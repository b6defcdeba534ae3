#include "sql/values/binary_form.h"

#include <array>
#include <stdexcept>

namespace fluxnetes::sql {
namespace {

// The epoch of PostgreSQL: 2000-01-01.
constexpr Timestamp kEpoch =
    std::chrono::sys_days(std::chrono::year(2000) / std::chrono::January / 1);

// The first byte of jsonb's binary form.
constexpr char kJsonbVersion = 1;

}  // namespace

void AppendNumber(std::string& to, std::uint64_t number, int bytes) {
  std::array<char, sizeof number> text{};
  for (int byte = 0; byte < bytes; ++byte)
    text.at(static_cast<std::size_t>(byte)) = static_cast<char>(
        number >> (8U * static_cast<unsigned>(bytes - 1 - byte)));
  to.append(text.data(), static_cast<std::size_t>(bytes));
}

void AppendInteger(std::string& to, std::int64_t number, int bytes) {
  const std::int64_t limit =
      bytes == 8 ? 0 : std::int64_t{1} << (8 * bytes - 1);
  if (limit != 0 && (number < -limit || number >= limit))
    throw std::out_of_range("a number is too large for its type");
  AppendNumber(to, static_cast<std::uint64_t>(bytes), 4);
  AppendNumber(to, static_cast<std::uint64_t>(number), bytes);
}

void AppendText(std::string& to, std::string_view text) {
  AppendNumber(to, text.size(), 4);
  to += text;
}

void AppendJsonb(std::string& to, std::string_view text) {
  AppendNumber(to, text.size() + 1, 4);
  to.push_back(kJsonbVersion);
  to += text;
}

void AppendTime(std::string& to, Timestamp time) {
  AppendNumber(to, 8, 4);
  AppendNumber(to, static_cast<std::uint64_t>((time - kEpoch).count()), 8);
}

void AppendNull(std::string& to) { AppendNumber(to, 0xFFFFFFFF, 4); }

}  // namespace fluxnetes::sql

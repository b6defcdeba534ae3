#include "services/console/display_text.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace fluxnetes::services {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

// Unicode 15: combining marks and format characters without a column.
constexpr Range kZeroWidth[] = {
    {0x0300, 0x036f}, {0x0483, 0x0489},   {0x0591, 0x05bd},  {0x0610, 0x061a},
    {0x064b, 0x065f}, {0x06d6, 0x06dc},   {0x0900, 0x0902},  {0x093a, 0x093a},
    {0x0941, 0x0948}, {0x0e31, 0x0e31},   {0x0e34, 0x0e3a},  {0x0e47, 0x0e4e},
    {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff},   {0x200b, 0x200f},  {0x2028, 0x202e},
    {0x2060, 0x206f}, {0x20d0, 0x20f0},   {0xfe00, 0xfe0f},  {0xfe20, 0xfe2f},
    {0xfeff, 0xfeff}, {0x1f3fb, 0x1f3ff}, {0xe0100, 0xe01ef}};

// Unicode 15, East Asian Width W and F.
constexpr Range kWide[] = {
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x23e9, 0x23ec},
    {0x2614, 0x2615},   {0x2e80, 0x303e},   {0x3041, 0x4dbf},
    {0x4e00, 0xa4cf},   {0xa960, 0xa97c},   {0xac00, 0xd7a3},
    {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},
    {0xffe0, 0xffe6},   {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff},
    {0x1f900, 0x1faff}, {0x20000, 0x3fffd}};

template <std::size_t N>
bool In(const Range (&ranges)[N], char32_t c) {
  const auto after = std::upper_bound(
      std::begin(ranges), std::end(ranges), c,
      [](char32_t value, const Range& range) { return value < range.first; });
  return after != std::begin(ranges) && c <= std::prev(after)->last;
}

struct Character {
  std::size_t bytes;
  char32_t code;  // U+FFFD for a byte that is not valid UTF-8
};

constexpr char32_t kInvalid = 0xfffd;

Character Next(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return static_cast<unsigned char>(text[i]);
  };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {1, lead};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (lead < 0xc2 || lead > 0xf4 || bytes > text.size()) return {1, kInvalid};
  char32_t code = lead & (0x7f >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {1, kInvalid};
    code = (code << 6) | (byte(i) & 0x3f);
  }
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < kLeast[bytes] || code > 0x10ffff || surrogate)
    return {1, kInvalid};
  return {bytes, code};
}

bool IsShown(char32_t code) {
  const bool control = code < 0x20 || (code >= 0x7f && code < 0xa0);
  const bool turns_text =
      (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  return !control && !turns_text && code != kInvalid;
}

int WidthOf(char32_t code) {
  if (In(kZeroWidth, code)) return 0;
  return In(kWide, code) ? 2 : 1;
}

}  // namespace

std::string Printable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const Character c = Next(text);
    if (IsShown(c.code)) {
      shown.append(text.substr(0, c.bytes));
    } else if (c.code == '\n' || c.code == '\r' || c.code == '\t') {
      if (!shown.ends_with(' ')) shown.push_back(' ');
    } else {
      shown.push_back('?');
    }
    text.remove_prefix(c.bytes);
  }
  return shown;
}

int DisplayWidth(std::string_view text) {
  int width = 0;
  while (!text.empty()) {
    const Character c = Next(text);
    width += WidthOf(c.code);
    text.remove_prefix(c.bytes);
  }
  return width;
}

std::string Cut(std::string_view text, int columns) {
  if (DisplayWidth(text) <= columns) return std::string(text);
  if (columns <= 0) return {};
  int width = 0;
  std::size_t end = 0;
  while (end < text.size()) {
    const Character c = Next(text.substr(end));
    if (width + WidthOf(c.code) > columns - 1) break;
    width += WidthOf(c.code);
    end += c.bytes;
  }
  return std::string(text.substr(0, end)) + "…";
}

std::string CutMiddle(std::string_view text, int columns) {
  int width = DisplayWidth(text);
  if (width <= columns) return std::string(text);
  if (columns <= 0) return {};
  const int behind = (columns - 1) / 2;
  const std::string begin = Cut(text, columns - behind);  // with its mark
  while (width > behind) {
    const Character c = Next(text);
    width -= WidthOf(c.code);
    text.remove_prefix(c.bytes);
  }
  return begin + std::string(text);
}

}  // namespace fluxnetes::services

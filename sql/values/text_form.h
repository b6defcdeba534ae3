// Parses values in PostgreSQL's text form, with datestyle ISO and time zone
// UTC; for this folder only. FromText throws std::invalid_argument for text of
// another type.
#pragma once

#include <charconv>
#include <concepts>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "sql/values/parameter.h"

namespace fluxnetes::sql {

[[noreturn]] void NoSuchValue(std::string_view text, const char* type);

bool BoolFromText(std::string_view text);
// 'infinity' and '-infinity' are the largest and the smallest time point.
Timestamp TimestampFromText(std::string_view text);
// Returns the elements of a one-dimensional array; refuses NULL elements.
std::vector<std::string> ElementsFromText(std::string_view text);

template <typename T>
inline constexpr bool kIsVector = false;
template <typename T>
inline constexpr bool kIsVector<std::vector<T>> = true;

template <typename T>
T FromText(std::string_view text) {
  if constexpr (std::is_same_v<T, bool>) {
    return BoolFromText(text);
  } else if constexpr (std::is_arithmetic_v<T>) {
    T value{};
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stop != end) NoSuchValue(text, "number");
    return value;
  } else if constexpr (std::is_same_v<T, Timestamp>) {
    return TimestampFromText(text);
  } else if constexpr (kIsVector<T>) {
    T values;
    for (const std::string& element : ElementsFromText(text))
      values.push_back(FromText<typename T::value_type>(element));
    return values;
  } else {
    return T(text);
  }
}

}  // namespace fluxnetes::sql

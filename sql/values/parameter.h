// A parameter of a query. Every argument is converted to one: numbers, text,
// optionals (nothing is NULL), time points (timestamptz, in microseconds) and
// vectors of these (arrays) in PostgreSQL's text form, and Array (array.h) in
// binary form.
// Tests: tests/sql/values/text_form_test.cc,
// tests/sql/connection/transaction_pgtest.cc.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fluxnetes::sql {

using Timestamp = std::chrono::sys_time<std::chrono::microseconds>;

class Parameter {
 public:
  // NOLINTBEGIN(google-explicit-constructor): a value is a parameter as it is
  Parameter(std::nullopt_t) {}
  Parameter(std::string text) : text_(std::move(text)) {}
  Parameter(std::string_view text) : text_(text) {}
  Parameter(const char* text) : text_(text) {}
  Parameter(bool value) : text_(value ? "t" : "f") {}
  template <std::integral T>
  Parameter(T value) : text_(std::to_string(value)) {}
  Parameter(double value);
  Parameter(Timestamp value);

  template <typename T>
  Parameter(const std::optional<T>& value) {
    if (value) *this = Parameter(*value);
  }

  // An array literal; elements are quoted if necessary.
  template <typename T>
  Parameter(const std::vector<T>& values) : text_("{") {
    text_->reserve(values.size() * 8 + 2);
    for (const auto& value : values) AppendElement(Parameter(T(value)));
    text_->push_back('}');
  }
  // NOLINTEND(google-explicit-constructor)

  // The binary form of its type, as the type's receive function reads it.
  static Parameter Binary(std::string bytes) {
    Parameter parameter(std::move(bytes));
    parameter.is_binary_ = true;
    return parameter;
  }

  // The text or binary form; nothing is NULL.
  const std::optional<std::string>& text() const { return text_; }
  bool is_binary() const { return is_binary_; }

 private:
  void AppendElement(const Parameter& element);

  std::optional<std::string> text_;
  bool is_binary_ = false;
};

}  // namespace fluxnetes::sql

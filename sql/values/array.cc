#include "sql/values/array.h"

#include <array>
#include <stdexcept>
#include <utility>

#include "sql/values/binary_form.h"

namespace fluxnetes::sql {
namespace {

// pg_type.oid and length; -1: variable.
struct Form {
  std::uint32_t oid;
  int length;
};
constexpr std::array<Form, 7> kForms = {
    {{16, 1}, {21, 2}, {23, 4}, {20, 8}, {25, -1}, {3802, -1}, {1184, 8}}};

const Form& FormOf(Array::Type type) {
  return kForms.at(static_cast<std::size_t>(type));
}

}  // namespace

Array::Array(Type type, std::size_t expected) : type_(type) {
  elements_.reserve(expected * 12);
}

void Array::Add(std::string_view text) {
  if (type_ != Type::kText && type_ != Type::kJsonb)
    throw std::logic_error("text in an array of numbers");
  if (type_ == Type::kJsonb) {
    AppendJsonb(elements_, text);
  } else {
    AppendText(elements_, text);
  }
  ++size_;
}

void Array::Add(Timestamp time) {
  if (type_ != Type::kTimestamptz)
    throw std::logic_error("a time in an array of something else");
  AppendTime(elements_, time);
  ++size_;
}

void Array::AddNull() {
  sql::AppendNull(elements_);
  has_null_ = true;
  ++size_;
}

void Array::AddNumber(std::int64_t number) {
  const int length = FormOf(type_).length;
  if (length < 0 || type_ == Type::kTimestamptz)
    throw std::logic_error("a number in an array of something else");
  AppendInteger(elements_, number, length);
  ++size_;
}

Parameter Array::Take() {
  std::string bytes;
  bytes.reserve(elements_.size() + 20);
  AppendNumber(bytes, size_ == 0 ? 0 : 1, 4);  // dimensions
  AppendNumber(bytes, has_null_ ? 1 : 0, 4);
  AppendNumber(bytes, FormOf(type_).oid, 4);
  if (size_ > 0) {
    AppendNumber(bytes, size_, 4);
    AppendNumber(bytes, 1, 4);  // the first index
  }
  bytes += elements_;
  elements_.clear();
  size_ = 0;
  has_null_ = false;
  return Parameter::Binary(std::move(bytes));
}

}  // namespace fluxnetes::sql

#include "sql/array.h"

#include <array>
#include <stdexcept>
#include <utility>

namespace fluxnetes::sql {
namespace {

// pg_type.oid and length; -1 is any.
struct Form {
  std::uint32_t oid;
  int length;
};
constexpr std::array<Form, 7> kForms = {
    {{16, 1}, {21, 2}, {23, 4}, {20, 8}, {25, -1}, {3802, -1}, {1184, 8}}};

// 2000-01-01, where PostgreSQL's time begins.
constexpr Timestamp kEpoch =
    std::chrono::sys_days(std::chrono::year(2000) / std::chrono::January / 1);

const Form& FormOf(Array::Type type) {
  return kForms.at(static_cast<std::size_t>(type));
}

// Numbers go over the network with the highest byte first.
void Append(std::string& to, std::uint64_t number, int bytes) {
  std::array<char, sizeof number> text{};
  for (int byte = 0; byte < bytes; ++byte)
    text.at(static_cast<std::size_t>(byte)) = static_cast<char>(
        number >> (8U * static_cast<unsigned>(bytes - 1 - byte)));
  to.append(text.data(), static_cast<std::size_t>(bytes));
}

}  // namespace

Array::Array(Type type, std::size_t expected) : type_(type) {
  elements_.reserve(expected * 12);
}

void Array::Add(std::string_view text) {
  if (type_ != Type::kText && type_ != Type::kJsonb)
    throw std::logic_error("text in an array of numbers");
  const bool json = type_ == Type::kJsonb;
  Append(elements_, text.size() + (json ? 1 : 0), 4);
  if (json) elements_.push_back(1);  // the version of jsonb's binary form
  elements_ += text;
  ++size_;
}

void Array::Add(Timestamp time) {
  if (type_ != Type::kTimestamptz)
    throw std::logic_error("a time in an array of something else");
  Append(elements_, 8, 4);
  Append(elements_, static_cast<std::uint64_t>((time - kEpoch).count()), 8);
  ++size_;
}

void Array::AddNull() {
  Append(elements_, 0xFFFFFFFF, 4);
  has_null_ = true;
  ++size_;
}

void Array::AddNumber(std::int64_t number) {
  const int length = FormOf(type_).length;
  if (length < 0 || type_ == Type::kTimestamptz)
    throw std::logic_error("a number in an array of something else");
  const std::int64_t limit =
      length == 8 ? 0 : std::int64_t{1} << (8 * length - 1);
  if (limit != 0 && (number < -limit || number >= limit))
    throw std::out_of_range("a number is too large for its array");
  Append(elements_, static_cast<std::uint64_t>(length), 4);
  Append(elements_, static_cast<std::uint64_t>(number), length);
  ++size_;
}

Parameter Array::Take() {
  std::string bytes;
  bytes.reserve(elements_.size() + 20);
  Append(bytes, size_ == 0 ? 0 : 1, 4);  // dimensions
  Append(bytes, has_null_ ? 1 : 0, 4);
  Append(bytes, FormOf(type_).oid, 4);
  if (size_ > 0) {
    Append(bytes, size_, 4);
    Append(bytes, 1, 4);  // the first index
  }
  bytes += elements_;
  elements_.clear();
  size_ = 0;
  has_null_ = false;
  return Parameter::Binary(std::move(bytes));
}

}  // namespace fluxnetes::sql

// Reads values of a required kind and reports where one is wrong.
#include <fmt/format.h>

#include "matcher/readers/json_stream.h"

namespace fluxnetes::matcher {

void JsonPath::Fail(std::string_view what) const {
  throw GraphError(fmt::format("{}: {}", Text(), what));
}

void JsonPath::Fail(std::string_view key, std::string_view what) const {
  throw GraphError(fmt::format("{}.{}: {}", Text(), key, what));
}

std::string JsonPath::Text() const {
  std::string text;
  for (const JsonPath* at = this; at != nullptr; at = at->above_) {
    if (at->indexed_) {
      text.insert(0, fmt::format("[{}]", at->index_));
    } else {
      text.insert(0, at->name_);
      if (at->above_ != nullptr) text.insert(0, 1, '.');
    }
  }
  return text;
}

std::string_view ReadText(JsonStream& in, const JsonPath& of,
                          std::string_view key) {
  if (in.Peek() != JsonStream::Kind::kText) of.Fail(key, "is not a text");
  return in.Text();
}

std::int64_t ReadInteger(JsonStream& in, const JsonPath& of,
                         std::string_view key, std::int64_t least,
                         std::int64_t most) {
  std::optional<std::int64_t> value;
  if (in.Peek() == JsonStream::Kind::kNumber) value = in.Integer();
  if (!value || *value < least || *value > most) {
    of.Fail(key,
            fmt::format("is not a whole number from {} to {}", least, most));
  }
  return *value;
}

bool ReadFlag(JsonStream& in, const JsonPath& of, std::string_view key) {
  if (in.Peek() != JsonStream::Kind::kFlag) {
    of.Fail(key, "is not true or false");
  }
  return in.Flag();
}

void EnterObject(JsonStream& in, const JsonPath& of, std::string_view key) {
  if (in.Peek() != JsonStream::Kind::kObject) of.Fail(key, "is not an object");
  in.EnterObject();
}

void EnterList(JsonStream& in, const JsonPath& of, std::string_view key) {
  if (in.Peek() != JsonStream::Kind::kList) of.Fail(key, "is not a list");
  in.EnterList();
}

}  // namespace fluxnetes::matcher

// Writes JSON front to back as text, for messages written in large numbers,
// where building a tree would cost ten times as much.
//
//   JsonText json;
//   json.Object([&] {
//     json.Field("kind", "Pod");
//     json.Object("metadata", [&] { json.Field("name", name); });
//   });
//   json.Take();  // {"kind":"Pod","metadata":{"name":"a"}}
//
// Text is taken to be UTF-8. Used by one thread.
// Tests: tests/cluster/json/object_writer_test.cc.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <utility>

namespace fluxnetes::cluster {

class JsonText {
 public:
  template <typename Body>
  void Object(Body&& body) {
    Enclose('{', '}', body);
  }
  template <typename Body>
  void Object(std::string_view key, Body&& body) {
    Key(key);
    Enclose('{', '}', body);
  }
  template <typename Body>
  void List(std::string_view key, Body&& body) {
    Key(key);
    Enclose('[', ']', body);
  }

  void Field(std::string_view key, std::string_view text) {
    Key(key);
    String(text);
  }
  void Field(std::string_view key, const char* text) {
    Field(key, std::string_view(text));
  }
  void Field(std::string_view key, std::same_as<bool> auto value) {
    Raw(key, value ? "true" : "false");
  }
  void Field(std::string_view key, std::integral auto value) requires(
      !std::same_as<decltype(value), bool>) {
    Raw(key, std::to_string(value));
  }
  // Omits an empty field.
  void FieldUnlessEmpty(std::string_view key, std::string_view text) {
    if (!text.empty()) Field(key, text);
  }
  // Writes a value that is already JSON.
  void Raw(std::string_view key, std::string_view json) {
    Key(key);
    Element(json);
  }
  // Likewise, as an element of a list.
  void Element(std::string_view json) {
    Separate();
    text_ += json;
  }
  void String(std::string_view text);

  std::string Take() { return std::move(text_); }

 private:
  template <typename Body>
  void Enclose(char open, char close, Body& body) {
    Separate();
    text_ += open;
    first_ = true;
    body();
    text_ += close;
    first_ = false;
  }
  void Key(std::string_view key) {
    String(key);
    text_ += ':';
    first_ = true;
  }
  void Separate() {
    if (!first_) text_ += ',';
    first_ = false;
  }

  std::string text_;
  bool first_ = true;  // no comma is due before the next value
};

}  // namespace fluxnetes::cluster

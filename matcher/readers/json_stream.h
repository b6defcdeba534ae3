// Reads JSON (RFC 8259) value by value, in one pass over a text of any size;
// only a buffer is kept in memory.
//
//   JsonStream in(source);
//   for (in.EnterObject(); const auto key = in.NextKey();) {
//     if (*key == "size") size = in.Integer(); else in.Skip();
//   }
//   in.End();
//
// The caller gets the kind of a value from Peek(), and reads each value once.
// All of the text is checked, skipped parts too; values may be nested kMaxDepth
// deep. A GraphError gives line and column.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "matcher/readers/graph_error.h"
#include "matcher/readers/text_source.h"

namespace fluxnetes::matcher {

class JsonStream {
 public:
  enum class Kind { kObject, kList, kText, kNumber, kFlag, kNull };

  static constexpr int kMaxDepth = 16;
  static constexpr std::size_t kMaxTextBytes = std::size_t{1} << 20;
  static constexpr std::size_t kBufferBytes = std::size_t{1} << 16;

  // `buffer`: initial size in bytes, at least one.
  explicit JsonStream(TextSource source, std::size_t buffer = kBufferBytes);
  // Reads from an offset on, where a value begins at that depth.
  JsonStream(TextSource source, std::size_t offset, int depth);

  Kind Peek();  // kind of the next value
  std::size_t Offset() const { return passed_ + at_; }
  int depth() const { return depth_; }

  void EnterObject() { Enter('{'); }
  // Returns nothing after the last key, and leaves the object. The key is valid
  // until the next call.
  std::optional<std::string_view> NextKey();
  void EnterList() { Enter('['); }
  bool NextElement();

  // Valid until the next call.
  std::string_view Text();
  // Returns nothing if it is not a whole number of 64 bits.
  std::optional<std::int64_t> Integer();
  bool Flag();
  void Skip();  // any value
  void End();   // only space may follow

 private:
  // Bytes behind the last byte of the buffer: a '\0', and bytes that may be
  // read with it.
  static constexpr std::size_t kSlack = 16;

  [[noreturn]] void Fail(std::string_view what);
  bool Fill();
  bool Require(std::size_t bytes);
  char NextAfterSpace();
  // Returns the next byte that is no space: mostly the next byte, or the one
  // behind a blank.
  char Next() {
    if (buffer_[at_] == ' ') ++at_;
    return buffer_[at_] > ' ' ? buffer_[at_] : NextAfterSpace();
  }
  void Enter(char bracket);
  bool Leave(char bracket);
  std::string_view TextHere();
  bool SkipToKey();
  std::size_t CheckUtf8(std::size_t ahead);
  std::string_view Unescape(std::size_t ahead);
  void UnescapeOne();
  std::uint32_t HexDigits();
  std::string_view NumberToken();
  std::optional<std::int64_t> ShortInteger();
  void Literal();

  TextSource source_;
  std::vector<char> buffer_;
  std::size_t passed_ = 0;  // bytes of the text before the buffer
  std::size_t at_ = 0;
  std::size_t end_ = 0;
  std::array<char, kMaxDepth + 1> open_{};  // open brackets, by depth
  int depth_ = 0;
  bool fresh_ = false;  // nothing of the innermost object or list was read
  std::string text_;    // the last text, if it had escapes
};

// The place of a value, for messages: "graph.nodes[3].metadata.type".
class JsonPath {
 public:
  constexpr explicit JsonPath(std::string_view name) : name_(name) {}
  constexpr JsonPath(std::string_view name, const JsonPath& above)
      : above_(&above), name_(name) {}
  constexpr JsonPath(std::size_t index, const JsonPath& above)
      : above_(&above), index_(index), indexed_(true) {}

  [[noreturn]] void Fail(std::string_view what) const;
  [[noreturn]] void Fail(std::string_view key, std::string_view what) const;

 private:
  std::string Text() const;

  const JsonPath* above_ = nullptr;
  std::string_view name_;
  std::size_t index_ = 0;  // instead of a name
  bool indexed_ = false;
};

// Read the value of a key; fail if it is of another kind.
std::string_view ReadText(JsonStream& in, const JsonPath& of,
                          std::string_view key);
std::int64_t ReadInteger(JsonStream& in, const JsonPath& of,
                         std::string_view key, std::int64_t least,
                         std::int64_t most);
bool ReadFlag(JsonStream& in, const JsonPath& of, std::string_view key);
void EnterObject(JsonStream& in, const JsonPath& of, std::string_view key);
void EnterList(JsonStream& in, const JsonPath& of, std::string_view key);

}  // namespace fluxnetes::matcher

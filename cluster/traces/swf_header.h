// The headers of a trace that say how large the machine was: comments of the
// form "; MaxNodes: 128 (64 of them fat)". The name may be in capitals or not;
// the number may have separators of thousands, as in "1,152"; what follows it
// is prose. A value without a number ("unknown", "-1", or nothing) is the same
// as no header. A number that could mean several things ("64 + 64", "1.152", or
// another one than before) is unclear: whoever needs it must ask for it.
//
// Owned by one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fluxnetes::cluster {

class SwfHeader {
 public:
  explicit SwfHeader(std::string_view name) : name_(name) {}

  // Takes a comment, without its ";", from `place`, such as "trace.swf:3".
  // Returns false if it is not this header.
  bool Take(std::string_view comment, const std::string& place);

  // Nothing if it is not said or unclear.
  std::optional<std::int64_t> value() const { return value_; }
  // Why there is no value though there is a header, or "": "trace.swf:3:
  // MaxNodes is empty".
  const std::string& fault() const { return fault_; }
  bool unclear() const { return unclear_; }

 private:
  void Read(std::string_view text, const std::string& place);
  void FailUnclear(std::string fault);

  std::string_view name_;
  std::optional<std::int64_t> value_;
  std::string fault_;
  bool unclear_ = false;
};

}  // namespace fluxnetes::cluster

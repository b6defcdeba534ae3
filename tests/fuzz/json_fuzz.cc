// For any bytes and any buffer size, JsonStream accepts the text if and only if
// nlohmann_json does.
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "matcher/readers/json_stream.h"

using fluxnetes::matcher::GraphError;
using fluxnetes::matcher::JsonStream;
using fluxnetes::matcher::SourceOf;

namespace {

enum class Answer { kTaken, kRefused, kTooDeep };

Answer Ours(std::string_view text, std::size_t buffer) {
  try {
    JsonStream in(SourceOf(text), buffer);
    in.Skip();
    in.End();
    return Answer::kTaken;
  } catch (const GraphError& error) {
    const std::string_view what = error.what();
    return what.find("nested") == what.npos ? Answer::kRefused
                                            : Answer::kTooDeep;
  }
}

// For nlohmann_json a text ends at a '\0', and numbers must fit a double.
Answer Theirs(std::string_view text) {
  try {
    const auto document = nlohmann::json::parse(text);
    return Answer::kTaken;
  } catch (const nlohmann::json::out_of_range&) {
    return Answer::kTooDeep;
  } catch (const nlohmann::json::exception&) {
    return Answer::kRefused;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Answer ours = Ours(text, JsonStream::kBufferBytes);
  if (Ours(text, 3) != ours) std::abort();
  if (text.find('\0') != text.npos) return 0;
  const Answer theirs = Theirs(text);
  if (ours == Answer::kTooDeep || theirs == Answer::kTooDeep) return 0;
  if (ours != theirs) std::abort();
  return 0;
}

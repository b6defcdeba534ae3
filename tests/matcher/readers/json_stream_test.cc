#include "matcher/readers/json_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

namespace fluxnetes::matcher {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using TokenKind = JsonStream::Kind;

// So small that every token crosses the end of the buffer once.
constexpr std::size_t kSmallBuffer = 5;

json ReadTokens(JsonStream& in) {
  switch (in.Peek()) {
    case TokenKind::kObject: {
      json object = json::object();
      in.EnterObject();
      while (const auto key = in.NextKey()) {
        const std::string name(*key);
        object[name] = ReadTokens(in);
      }
      return object;
    }
    case TokenKind::kList: {
      json list = json::array();
      for (in.EnterList(); in.NextElement();) list.push_back(ReadTokens(in));
      return list;
    }
    case TokenKind::kText:
      return in.Text();
    case TokenKind::kNumber: {
      const auto integer = in.Integer();
      return integer ? json(*integer) : json("no integer");
    }
    case TokenKind::kFlag:
      return in.Flag();
    default:
      in.Skip();
      return nullptr;
  }
}

json ReadTokens(std::string_view text, std::size_t buffer = kSmallBuffer) {
  JsonStream in(SourceOf(text), buffer);
  json value = ReadTokens(in);
  in.End();
  return value;
}

std::string Error(std::string_view text) {
  try {
    JsonStream in(SourceOf(text), kSmallBuffer);
    in.Skip();
    in.End();
  } catch (const GraphError& error) {
    return error.what();
  }
  return "none";
}

TEST(JsonStream, ReadsWhatIsThere) {
  const std::string text = R"( {"a" : [1, -2, 0, [], {}, 1.5, 1e3, true,
      false, null], "b\n\u00e9\ud83d\ude00": "\"\\\/\b\f\r\tü€😀", "" : ""} )";
  json expected = json::parse(text);
  expected["a"][5] = expected["a"][6] = "no integer";
  EXPECT_EQ(ReadTokens(text), expected);
  EXPECT_EQ(ReadTokens(text, JsonStream::kBufferBytes), expected);
  EXPECT_EQ(ReadTokens("\xef\xbb\xbf[1]"), json::parse("[1]"));
  EXPECT_EQ(ReadTokens("[9223372036854775807, 9223372036854775808]"),
            json::parse("[9223372036854775807, \"no integer\"]"));
}

TEST(JsonStream, ErrorsNameLineAndColumn) {
  EXPECT_THAT(Error("{\n  \"a\": tru\n}"),
              HasSubstr("parse error at line 2, column 8: "));
  EXPECT_THAT(Error("[1\n\n 2]"), HasSubstr("line 3, column 2: "));
  EXPECT_THAT(Error("[1] 2"), HasSubstr("column 5: something follows"));
}

TEST(JsonStream, SizeAndDepthAreBounded) {
  const auto nested = [](int depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_EQ(Error(nested(JsonStream::kMaxDepth)), "none");
  EXPECT_THAT(Error(nested(JsonStream::kMaxDepth + 1)), HasSubstr("nested"));
  EXPECT_THAT(Error(std::string(100'000, '[')), HasSubstr("nested"));
  const std::string text(4 * JsonStream::kMaxTextBytes, 'a');
  EXPECT_THAT(Error('"' + text + '"'), HasSubstr("a text has more than"));
  EXPECT_THAT(Error("\"\\n" + text + '"'), HasSubstr("a text has more than"));
}

// True if a number is too large for a double; our readers do not ask for those.
bool TooLarge(const std::string& text) {
  try {
    const json document = json::parse(text);
  } catch (const json::out_of_range&) {
    return true;
  } catch (const json::exception&) {
  }
  return false;
}

// Changes a few bytes of a document: it is refused if and only if it is not
// JSON.
TEST(JsonStream, RefusesWhatIsNoJson) {
  const std::vector<std::string> seeds = {
      R"({"a":[1,-20.5e+3,0],"b":{"c":null,"d":[true,false]}})",
      R"(["\u00e9\ud83d\ude00","ü€😀\\\"",{"":""},[[],{}]] )",
      "\n{\"nodes\" : [ { \"id\" : \"0\" , \"size\" : 12 } ] }\n"};
  const std::string bytes =
      "{}[]\",:\\0123.eE+-tfnu /\x1f\n\x80\xbf\xc3\xe0\xed\xf0\xf4\xff"
      "abcdef";
  std::mt19937 random(7);
  const auto below = [&](std::size_t n) { return random() % n; };
  int refused = 0;
  constexpr int kDocuments = 20'000;
  for (int i = 0; i < kDocuments; ++i) {
    std::string text = seeds[below(seeds.size())];
    for (std::size_t change = below(4); change > 0; --change) {
      const std::size_t at = below(text.size());
      const char byte = bytes[below(bytes.size())];
      switch (below(3)) {
        case 0:
          text[at] = byte;
          break;
        case 1:
          text.insert(at, 1, byte);
          break;
        default:
          text.erase(at, 1);
      }
    }
    const std::string error = Error(text);
    if (TooLarge(text)) continue;
    if (error.find("nested") != std::string::npos) continue;
    EXPECT_EQ(error == "none", json::accept(text)) << text << '\n' << error;
    refused += error == "none" ? 0 : 1;
  }
  EXPECT_GT(refused, kDocuments / 10);
  EXPECT_LT(refused, kDocuments * 9 / 10);
}

TEST(JsonStream, ValuesAreReadOnFromAnOffset) {
  const std::string text = R"({"edges": [1, 2], "nodes": []})";
  JsonStream in(SourceOf(text), text.find("[1"), 1);
  EXPECT_EQ(ReadTokens(in), json::parse("[1, 2]"));
  EXPECT_EQ(in.depth(), 1);
}

}  // namespace
}  // namespace fluxnetes::matcher

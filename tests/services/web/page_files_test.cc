#include "services/web/page_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "services/web/gzip.h"
#include "services/web/page_bytes.h"

namespace fluxnetes::services {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string HeaderOf(const WebReply& reply, const std::string& name) {
  for (const auto& [key, value] : reply.headers)
    if (key == name) return value;
  return "";
}

TEST(PageFiles, DocumentHasNoScriptOfItsOwn) {
  const auto reply = PageFiles().Answer("", {});
  ASSERT_TRUE(reply);
  EXPECT_EQ(HeaderOf(*reply, "Content-Type"), "text/html; charset=utf-8");
  EXPECT_THAT(*reply->body, HasSubstr("src=\"app.js\""));
  EXPECT_THAT(*reply->body, Not(HasSubstr("onclick")));
  EXPECT_THAT(*reply->body, Not(HasSubstr("http")));
}

TEST(PageFiles, FileIsGzippedForWhoTakesItSo) {
  const PageFiles files;
  const auto plain = files.Answer("app.js", {});
  const auto small =
      files.Answer("app.js", {.headers = {{"accept-encoding", "br, gzip"}}});
  ASSERT_TRUE(plain && small);
  EXPECT_EQ(HeaderOf(*small, "Content-Encoding"), "gzip");
  EXPECT_EQ(HeaderOf(*plain, "Content-Encoding"), "");
  EXPECT_EQ(Gunzip(*small->body), *plain->body);
}

TEST(PageFiles, UnchangedFileIsNotSentAgain) {
  const PageFiles files;
  const std::string tag = HeaderOf(*files.Answer("app.css", {}), "ETag");
  EXPECT_EQ(
      files.Answer("app.css", {.headers = {{"if-none-match", tag}}})->status,
      304);
  EXPECT_EQ(files.Answer("app.css", {.headers = {{"if-none-match", "\"x\""}}})
                ->status,
            200);
}

TEST(PageFiles, NoOtherFileIsThere) {
  for (const char* name : {"index.html", "../app.js", "app.tsx", "x"})
    EXPECT_FALSE(PageFiles().Answer(name, {})) << name;
}

// What a browser loads before it shows anything.
TEST(PageFiles, ScriptsAndStylesAreWithinTheirBudget) {
  constexpr std::size_t kBudget = 40'000;
  std::size_t bytes = 0;
  for (const auto& [name, text] : kPageBytes) bytes += text.size();
  EXPECT_LE(bytes, kBudget);
}

TEST(Gzip, ComesBackAsItWas) {
  for (const std::string& text :
       {std::string(), std::string("a"), std::string(100'000, 'x')})
    EXPECT_EQ(Gunzip(Gzip(text, 1)), text);
  EXPECT_THROW(Gunzip("not gzipped"), std::runtime_error);
}

TEST(Gzip, IsSentToWhoTakesIt) {
  for (const char* accepts : {"gzip", "br, gzip;q=0.5", "gzip , br"})
    EXPECT_TRUE(TakesGzip(accepts)) << accepts;
  for (const char* refuses : {"", "br", "gzip;q=0", "gzip; q=0.0, br"})
    EXPECT_FALSE(TakesGzip(refuses)) << refuses;
}

}  // namespace
}  // namespace fluxnetes::services

#include "services/web/page_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

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

// The files that a browser loads with this one, itself among them: those that
// it imports, but not those that it imports when they are needed.
std::set<std::string> LoadedWith(const PageFiles& files,
                                 const std::string& name) {
  std::set<std::string> loaded = {name};
  const std::string text = *files.Answer(name, {})->body;
  for (const auto& [other, bytes] : kPageBytes) {
    const std::size_t place = text.find("\"./" + std::string(other) + "\"");
    if (place == std::string::npos || place == 0 || text[place - 1] == '(')
      continue;
    loaded.merge(LoadedWith(files, std::string(other)));
  }
  return loaded;
}

std::size_t SizeOf(const std::set<std::string>& names) {
  std::size_t bytes = 0;
  for (const auto& [name, text] : kPageBytes)
    if (names.contains(std::string(name))) bytes += text.size();
  return bytes;
}

// The browser loads the timeline when it is first shown.
TEST(PageFiles, ScriptsAndStylesAreWithinTheirBudget) {
  constexpr std::size_t kBudget = 40'000;
  constexpr std::size_t kBudgetOfTimeline = 20'000;
  const PageFiles files;
  std::set<std::string> first = LoadedWith(files, "app.js");
  first.insert("app.css");
  EXPECT_LE(SizeOf(first), kBudget);
  std::string page;
  for (const auto& [name, text] : kPageBytes)
    if (name.starts_with("timeline_pages-")) page = name;
  ASSERT_NE(page, "");
  std::set<std::string> timeline = LoadedWith(files, page);
  EXPECT_GE(timeline.size(), 1U);
  for (const std::string& name : first) timeline.erase(name);
  EXPECT_GT(SizeOf(timeline), 1'000U);
  EXPECT_LE(SizeOf(timeline), kBudgetOfTimeline);
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

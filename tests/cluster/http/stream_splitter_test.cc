#include "cluster/http/stream_splitter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fluxnetes::cluster {
namespace {

using ::testing::ElementsAre;
using namespace std::string_literals;

// What comes out if the text arrives in pieces of this size.
std::vector<std::string> Split(bool frames, const std::string& text,
                               std::size_t piece) {
  std::vector<std::string> messages;
  StreamSplitter splitter;
  const auto receive = [&](std::string_view it) { messages.emplace_back(it); };
  for (std::size_t at = 0; at < text.size(); at += piece) {
    const std::string_view part = std::string_view(text).substr(at, piece);
    EXPECT_TRUE(frames ? splitter.TakeFrames(part, receive)
                       : splitter.TakeLines(part, receive));
  }
  return messages;
}

TEST(StreamSplitter, LinesComeWholeHoweverTheyArrive) {
  for (std::size_t piece = 1; piece < 12; ++piece)
    EXPECT_THAT(Split(false, "ab\n\ncdef\nrest", piece),
                ElementsAre("ab", "", "cdef"));
}

TEST(StreamSplitter, FramesComeWholeHoweverTheyArrive) {
  const std::string text =
      "\0\0\0\x02"
      "a\n"
      "\0\0\0\0"
      "\0\0\x01\x04"s +
      std::string(260, 'x') +
      "\0\0\0\x05"
      "part"s;
  for (std::size_t piece = 1; piece < 300; ++piece)
    EXPECT_THAT(Split(true, text, piece),
                ElementsAre("a\n", "", std::string(260, 'x')));
}

TEST(StreamSplitter, FrameThatSaysToBeLongerThan16MiBIsRefusedAtOnce) {
  StreamSplitter splitter;
  const auto receive = [](std::string_view) { FAIL(); };
  EXPECT_TRUE(splitter.TakeFrames("\x01\0\0"s, receive));
  EXPECT_FALSE(splitter.TakeFrames("\x01"s, receive));
}

TEST(StreamSplitter, TypeOfTheContentTellsWhichItIs) {
  EXPECT_TRUE(IsFramed("application/vnd.kubernetes.protobuf;stream=watch"));
  EXPECT_TRUE(IsFramed("application/vnd.kubernetes.protobuf"));
  EXPECT_FALSE(IsFramed("application/json"));
  EXPECT_FALSE(IsFramed(""));
}

}  // namespace
}  // namespace fluxnetes::cluster

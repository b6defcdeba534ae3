#include "cluster/protobuf/wire_reader.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "tests/cluster/protobuf/protobuf_writer.h"

namespace fluxnetes::cluster {
namespace {

using namespace std::string_literals;

// Reads the whole message; the error, or empty.
std::string WhyUnreadable(std::string_view message) {
  try {
    for (WireReader reader(message); reader.Next();) {
    }
    return "";
  } catch (const WireError& error) {
    return error.what();
  }
}

TEST(WireReader, FieldsComeInOrderWithTheirValues) {
  const std::string message =
      NumberField(1, 150) + BytesField(2, "testing") +
      NumberField(3, std::numeric_limits<std::uint64_t>::max());
  WireReader reader(message);
  ASSERT_TRUE(reader.Next());
  EXPECT_EQ(reader.field(), 1);
  EXPECT_EQ(reader.Number(), 150);
  ASSERT_TRUE(reader.Next());
  EXPECT_EQ(reader.field(), 2);
  EXPECT_EQ(reader.Bytes(), "testing");
  EXPECT_EQ(reader.FromHere().size(), 9 + 11);
  ASSERT_TRUE(reader.Next());
  EXPECT_EQ(reader.Number(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_FALSE(reader.Next());
}

TEST(WireReader, FieldsOfFixedLengthArePassedOver) {
  const std::string message =
      "\x09"
      "12345678"
      "\x15"
      "1234"s +
      NumberField(3, 7);
  WireReader reader(message);
  ASSERT_TRUE(reader.Next());
  EXPECT_THROW((void)reader.Number(), WireError);
  ASSERT_TRUE(reader.Next());
  ASSERT_TRUE(reader.Next());
  EXPECT_EQ(reader.Number(), 7);
}

TEST(WireReader, ValueOfAnotherTypeIsAnError) {
  const std::string message = NumberField(1, 1) + BytesField(2, "x");
  WireReader reader(message);
  ASSERT_TRUE(reader.Next());
  EXPECT_THROW((void)reader.Bytes(), WireError);
  ASSERT_TRUE(reader.Next());
  EXPECT_THROW((void)reader.Number(), WireError);
}

TEST(WireReader, DamageIsNamedWithItsField) {
  const std::string after = NumberField(5, 1);
  EXPECT_EQ(WhyUnreadable(after + "\x0A\x05"
                                  "abcd"),
            "protobuf: field 1 is longer than its message");
  EXPECT_EQ(WhyUnreadable("\x09"
                          "1234567"),
            "protobuf: field 1 is longer than its message");
  EXPECT_EQ(WhyUnreadable(after + "\x30"),
            "protobuf: field 6 is a number without an end");
  EXPECT_EQ(WhyUnreadable("\x08" + std::string(10, '\xFF') + "\x01"),
            "protobuf: field 1 is a number without an end");
  EXPECT_EQ(WhyUnreadable("\x08" + std::string(9, '\xFF') + "\x02"),
            "protobuf: field 1 is a number without an end");
  EXPECT_EQ(WhyUnreadable("\x0B\x0C"),
            "protobuf: field 1 is a type that Kubernetes does not use");
  EXPECT_EQ(WhyUnreadable("\x02\x01x"),
            "protobuf: field 0 is a number that no field can have");
}

TEST(WireReader, LengthBeyondAllMemoryIsAnError) {
  EXPECT_EQ(WhyUnreadable("\x0A" + std::string(9, '\xFF') + "\x01x"),
            "protobuf: field 1 is longer than its message");
}

TEST(WireReader, NoPartOfAMessageIsReadBeyondItsEnd) {
  const std::string message = NumberField(1, 300) + BytesField(2, "abc");
  for (std::size_t size = 1; size < message.size(); ++size) {
    if (size == 3) continue;  // the first field, whole
    EXPECT_NE(WhyUnreadable(std::string(message, 0, size)), "") << size;
  }
}

}  // namespace
}  // namespace fluxnetes::cluster

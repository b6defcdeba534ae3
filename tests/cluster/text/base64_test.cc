#include "cluster/text/base64.h"

#include <gtest/gtest.h>

#include <string>

namespace fluxnetes::cluster {
namespace {

// RFC 4648, section 10.
TEST(Base64, DecodesTheVectorsOfTheRfc) {
  EXPECT_EQ(DecodeBase64(""), "");
  EXPECT_EQ(DecodeBase64("Zg=="), "f");
  EXPECT_EQ(DecodeBase64("Zm8="), std::string("foo", 2));
  EXPECT_EQ(DecodeBase64("Zm9v"), "foo");
  EXPECT_EQ(DecodeBase64("Zm9vYmFy"), "foobar");
  EXPECT_EQ(DecodeBase64("Zm9v\nYmFy\n"), "foobar");
  EXPECT_EQ(DecodeBase64("+/+/"), "\xfb\xff\xbf");
}

TEST(Base64, RefusesWhatIsNone) {
  for (const char* text : {"Z", "Zg", "Zg=", "Z===", "====", "Zg==Zg==", "Zm9*",
                           "Zm9v-_==", "Z=g="})
    EXPECT_FALSE(DecodeBase64(text)) << text;
}

}  // namespace
}  // namespace fluxnetes::cluster

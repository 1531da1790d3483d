// Errors as data: what they are about, and the sentence that is made of it.

#include "ropewalk/status.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"

namespace ropewalk {
namespace status_test {

using Code = Status::Code;

void expect_details(const Status& status, std::string_view function, std::string_view argument,
                    std::string_view value, std::string_view allowed) {
  const ErrorDetails about = status.details();
  EXPECT_EQ(about.function, function);
  EXPECT_EQ(about.argument, argument);
  EXPECT_EQ(about.value, value);
  EXPECT_EQ(about.allowed, allowed);
}

TEST(Status, HoldsWhatItIsAbout) {
  const Status status = out_of_range("rotate", "heads", 0.0, "a whole number of at least 1");
  EXPECT_EQ(status.code(), Code::range);
  EXPECT_EQ(status.message(), "rotate: `heads` is 0; allowed: a whole number of at least 1");
  expect_details(status, "rotate", "heads", "0", "a whole number of at least 1");
  EXPECT_EQ(wrong_type("rope", "pairing", "a text", "one of two").code(), Code::type);
  EXPECT_EQ(unsupported("bert", "is_decoder", "true", "false").code(), Code::unsupported);
}

TEST(Status, HoldsItBesideOtherWords) {
  const Status status = wrong_count("train", "labels", 5, "6, `batch`");
  EXPECT_EQ(status.message(), "train: `labels` has 5 elements; allowed: 6, `batch`");
  expect_details(status, "train", "labels", "5 elements", "6, `batch`");
}

TEST(Status, KnowsTheFunctionOfASentence) {
  const Status status = Status::malformed("gguf: the file: is cut short");
  EXPECT_EQ(status.message(), "gguf: the file: is cut short");
  expect_details(status, "gguf", "", "", "");
  expect_details(Status::out_of_memory("no memory"), "", "", "", "");
  EXPECT_EQ(Status::out_of_memory("no memory").message(), "no memory");
}

TEST(Status, CanBeThatOfAnotherFunction) {
  EXPECT_EQ(out_of_range("rotate", "x", 1.0, "2").in("detect").message(), "detect: `x` is 1; allowed: 2");
  EXPECT_EQ(wrong_count("train", "x", 1, "2").in("evaluate").message(),
            "evaluate: `x` has 1 elements; allowed: 2");
  EXPECT_EQ(Status::type("roformer: no such key: a").in("trainer").message(), "trainer: no such key: a");
  EXPECT_EQ(Status::out_of_memory("no memory").in("trainer").message(), "no memory");
  EXPECT_TRUE(Status().in("trainer").ok());
  EXPECT_EQ(Status().message(), "");
}

}  // namespace status_test
}  // namespace ropewalk

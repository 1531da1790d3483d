// guard_pages.cpp is linked into this program: what a Buffer must not do ends it.

#include <gtest/gtest.h>

#include <csignal>
#include <cstddef>
#include <cstdint>

#include "base/buffer.hpp"

extern "C" std::size_t ropewalk_guarded_blocks();

namespace ropewalk {
namespace {

using Bytes = Buffer<std::uint8_t>;

Bytes buffer(std::size_t size) {
  Bytes bytes;
  EXPECT_TRUE(bytes.allocate(size, "test").ok());
  return bytes;
}

/// Through a pointer that the compiler knows nothing about.
void write(std::uint8_t* at) { *static_cast<volatile std::uint8_t*>(at) = 1; }

class GuardPages : public testing::TestWithParam<std::size_t> {};

TEST_P(GuardPages, StandBehindABufferAndNotInIt) {
  const std::size_t before = ropewalk_guarded_blocks();
  Bytes bytes = buffer(GetParam());
  EXPECT_EQ(ropewalk_guarded_blocks(), before + 1);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(bytes.data()) % 64, 0U);
  for (std::size_t i = 0; i < bytes.size(); ++i) write(&bytes[i]);
  EXPECT_EXIT(write(bytes.data() + bytes.size()), testing::KilledBySignal(SIGSEGV), "");
}

TEST_P(GuardPages, CloseWhatWasFreed) {
  std::uint8_t* gone = nullptr;
  {
    Bytes bytes = buffer(GetParam());
    gone = bytes.data();
  }
  EXPECT_EXIT(write(gone), testing::KilledBySignal(SIGSEGV), "");
  // Another of the same size lies elsewhere.
  EXPECT_NE(buffer(GetParam()).data(), gone);
}

INSTANTIATE_TEST_SUITE_P(Sizes, GuardPages, testing::Values(64, 4032, 4096, 8128, 8192, 1 << 20));

TEST(GuardPages, SeeAWriteBeforeTheBeginning) {
  const auto run = [] {
    Bytes bytes = buffer(64);
    write(bytes.data() - 1);
  };
  EXPECT_EXIT(run(), testing::KilledBySignal(SIGABRT), "before the beginning");
}

TEST(GuardPages, LeaveAnAllocationThatCannotBeHadAnError) {
  Bytes bytes;
  EXPECT_EQ(bytes.allocate(std::size_t{1} << 60, "test").code(), Status::Code::out_of_memory);
}

}  // namespace
}  // namespace ropewalk

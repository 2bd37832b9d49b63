#include <widehash/checksum.hpp>

#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <xxhash.h>

namespace widehash {
namespace {

std::vector<std::byte> random_bytes(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::byte> bytes(count);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

TEST(Checksum, IsXxh3WithSeedZero) {
  EXPECT_EQ(checksum({}), 0x2d06800538d394c2u);  // XXH3-64 of no bytes, from the specification's test vectors
  for (const std::size_t count : {0, 1, 16, 17, 128, 240, 241, 1024, 100'000}) {
    const auto bytes = random_bytes(count, 1);
    EXPECT_EQ(checksum(bytes), XXH3_64bits(bytes.data(), bytes.size())) << count;
  }
}

TEST(Checksum, StreamInPiecesEqualsOneCall) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    const auto bytes = random_bytes(random() % 5000, static_cast<unsigned>(round));
    ChecksumStream stream;
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t count = std::min<std::size_t>(random() % 700, bytes.size() - at);
      stream.add(std::span(bytes).subspan(at, count));
      at += count;
    }
    ASSERT_EQ(stream.value(), checksum(bytes)) << round;
  }
}

TEST(Checksum, ValueDoesNotEndTheStream) {
  const auto bytes = random_bytes(2000, 3);
  ChecksumStream stream;
  stream.add(std::span(bytes).first(1000));
  EXPECT_EQ(stream.value(), checksum(std::span(bytes).first(1000)));
  ChecksumStream moved = std::move(stream);
  moved.add(std::span(bytes).subspan(1000));
  EXPECT_EQ(moved.value(), checksum(bytes));
}

TEST(Checksum, HexHasSixteenLowerCaseDigits) {
  EXPECT_EQ(to_hex(0), "0000000000000000");
  EXPECT_EQ(to_hex(0xABCDEF), "0000000000abcdef");
  EXPECT_EQ(to_hex(~std::uint64_t{0}), "ffffffffffffffff");
}

TEST(Checksum, HexReadsBackAndNothingElseIsRead) {
  for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{0xABCDEF}, ~std::uint64_t{0}})
    EXPECT_EQ(from_hex(to_hex(value)), value);
  for (const char* text : {"", "0", "000000000000000g", "0x00000000000000", "-000000000000001",
                           " 000000000000001", "00000000000000000", "5ad5-3c69b663c6e"}) {
    EXPECT_THROW(from_hex(text), std::invalid_argument) << text;
  }
}

}  // namespace
}  // namespace widehash

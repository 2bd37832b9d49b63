#pragma once

/// \file
/// Every small way in which a file can come to harm: a bit that turns, an end that is cut off or grows.

#include <widehash/file.hpp>

#include <fstream>
#include <functional>
#include <string>

#include <gtest/gtest.h>

namespace widehash::test {

/// Plain overwriting, quicker than an atomic and flushed write.
inline void overwrite(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

/// Calls notices() for `path` with each single bit flipped, each shorter length and a few longer ones, and
/// expects true every time. The file is as before at the end.
inline void expect_all_damage_noticed(const std::string& path, const std::function<bool()>& notices) {
  const std::string whole = read_text_file(path);
  ASSERT_FALSE(notices()) << "the undamaged file is refused";
  for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
    std::string bytes = whole;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
    overwrite(path, bytes);
    ASSERT_TRUE(notices()) << path << ": byte " << bit / 8 << ", bit " << bit % 8;
  }
  for (std::size_t length = 0; length < whole.size(); ++length) {
    overwrite(path, whole.substr(0, length));
    ASSERT_TRUE(notices()) << path << ": cut to " << length << " of " << whole.size();
  }
  for (const std::size_t extra : {1, 2, 7, 8, 63, 64, 128}) {
    for (const char fill : {'\0', ' ', '\n'}) {
      overwrite(path, whole + std::string(extra, fill));
      ASSERT_TRUE(notices()) << path << ": " << extra << " bytes longer";
    }
  }
  overwrite(path, whole);
}

/// Whether `work` throws an E. Any other exception goes on to the test.
template <class E>
bool throws(const std::function<void()>& work) {
  try {
    work();
  } catch (const E&) {
    return true;
  }
  return false;
}

/// The message of the E that `work` throws; a failure where it throws none.
template <class E>
std::string message_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const E& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

}  // namespace widehash::test

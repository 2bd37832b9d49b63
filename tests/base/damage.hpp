#pragma once

/// \file
/// Every small way in which a file can be damaged: a flipped bit, a cut or extended end.

#include <widehash/error.hpp>
#include <widehash/internal/file.hpp>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include <gtest/gtest.h>

namespace widehash::test {

/// Overwrites the file plainly, without the flush of an atomic write.
inline void overwrite(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

/// Overwrites one byte in place. Truncating and rewriting a file makes some file systems flush it, which
/// takes milliseconds.
inline void overwrite_byte(const std::string& path, std::size_t at, char byte) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(static_cast<std::streamoff>(at));
  file.put(byte);
}

/// Calls notices() for `path` with each single bit flipped, at every shorter length and at a few greater
/// lengths, and expects it to return true every time. Restores the file at the end.
inline void expect_all_damage_noticed(const std::string& path, const std::function<bool()>& notices) {
  const std::string whole = read_text_file(path);
  ASSERT_FALSE(notices()) << "the undamaged file is refused";
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      overwrite_byte(path, at, static_cast<char>(whole[at] ^ (1 << bit)));
      ASSERT_TRUE(notices()) << path << ": byte " << at << ", bit " << bit;
    }
    overwrite_byte(path, at, whole[at]);
  }
  for (std::size_t length = whole.size(); length-- > 0;) {
    std::filesystem::resize_file(path, length);
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

/// Whether `work` throws an E. Any other exception propagates to the test.
template <class E>
bool throws(const std::function<void()>& work) {
  try {
    work();
  } catch (const E&) {
    return true;
  }
  return false;
}

/// The message of the E that `work` throws. Records a test failure if it throws none.
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

/// The code of the FileError that `work` throws; 0 if it throws none.
inline int code_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const FileError& error) {
    return error.code();
  }
  return 0;
}

}  // namespace widehash::test

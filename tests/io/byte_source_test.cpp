#include "compress.hpp"
#include "memory_source.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/byte_source.hpp>

#include <chrono>
#include <fstream>
#include <random>
#include <thread>
#include <tuple>

#include <base/temp_folder.hpp>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace widehash::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string drain(ByteSource& source, std::size_t piece_bytes) {
  std::string all;
  std::string piece(piece_bytes, '\0');
  while (true) {
    const std::size_t count = source.read(piece);
    all.append(piece, 0, count);
    if (count < piece_bytes) break;
  }
  EXPECT_EQ(source.read(piece), 0u);
  return all;
}

/// Compressible text that contains every byte value.
std::string some_text(std::size_t num_bytes) {
  std::mt19937_64 random(num_bytes);
  std::string text;
  while (text.size() < num_bytes) {
    text += "flight\t" + std::to_string(random() % 100000) + '\n';
    text.push_back(static_cast<char>(random()));
  }
  text.resize(num_bytes);
  return text;
}

class ByteSourceTest : public testing::Test {
 protected:
  Input file_of(const std::string& bytes) {
    std::ofstream(folder_.file("input"), std::ios::binary) << bytes;
    return {.path = folder_.file("input"), .size_bytes = bytes.size()};
  }
  std::string read_all(const std::string& bytes, std::size_t piece_bytes = 1000) {
    return drain(*open_source(file_of(bytes)), piece_bytes);
  }
  std::string error_of(const std::string& bytes) {
    try {
      read_all(bytes);
    } catch (const DataError& error) {
      EXPECT_EQ(error.path(), folder_.file("input"));
      return error.what();
    }
    return "";
  }
  TempFolder folder_;
};

TEST_F(ByteSourceTest, CompressionIsKnownByContent) {
  EXPECT_EQ(open_source(file_of("a\tb\n"))->compression(), Compression::none);
  EXPECT_EQ(open_source(file_of(""))->compression(), Compression::none);
  EXPECT_EQ(open_source(file_of("("))->compression(), Compression::none);
  EXPECT_EQ(open_source(file_of(gzip("a")))->compression(), Compression::gzip);
  EXPECT_EQ(open_source(file_of(zstd("a")))->compression(), Compression::zstd);
  EXPECT_EQ(open_source(file_of(skippable_frame("x") + zstd("a")))->compression(), Compression::zstd);
}

TEST_F(ByteSourceTest, EverySizeComesThroughUnchanged) {
  for (const std::size_t size : {0, 1, 2, 3, 4, 5, 31, 32, 33, 65535, 65536, 262144, 1000000}) {
    const std::string text = some_text(size);
    for (const std::size_t piece : {1, 7, 4096, 300000}) {
      if (piece == 1 && size > 100000) continue;
      EXPECT_EQ(read_all(text, piece), text) << size << ' ' << piece;
      EXPECT_EQ(read_all(gzip(text), piece), text) << size << ' ' << piece;
      EXPECT_EQ(read_all(gzip(text, 0), piece), text) << size << ' ' << piece;
      EXPECT_EQ(read_all(zstd(text), piece), text) << size << ' ' << piece;
    }
  }
}

TEST_F(ByteSourceTest, ManyMembersAndFramesAreOneText) {
  // Enough members and frames that headers and trailers fall on every kind of input buffer border.
  std::string text, gzipped, zstandard;
  for (std::size_t i = 0; i < 1800; ++i) {
    const std::string piece = some_text(i % 900);
    text += piece;
    gzipped += gzip(piece);
    zstandard += zstd(piece);
    if (i % 100 == 0) zstandard += skippable_frame("an index");
  }
  ASSERT_GT(gzipped.size(), 300000u);
  EXPECT_EQ(read_all(gzipped), text);
  EXPECT_EQ(read_all(zstandard), text);
}

TEST_F(ByteSourceTest, ZerosMayFollowGzipAndNothingElse) {
  const std::string packed = gzip("a\tb\n");
  EXPECT_EQ(read_all(packed + std::string(600000, '\0')), "a\tb\n");
  EXPECT_THAT(error_of(packed + "junk"), HasSubstr("ends at byte " + std::to_string(packed.size())));
  EXPECT_THAT(error_of(packed + std::string(600000, '\0') + "x"), HasSubstr("neither gzip nor zero padding"));
  for (const std::string& behind : {std::string("junk"), gzip("b"), std::string(8, '\0')}) {
    EXPECT_THAT(
        error_of(zstd("a") + behind),
        AllOf(HasSubstr("after the last zstd frame, which ends at byte " + std::to_string(zstd("a").size())),
              HasSubstr("not a zstd frame; the file is damaged, or something was appended to it")));
  }
}

TEST_F(ByteSourceTest, EveryTruncationIsAnError) {
  const std::string text = some_text(150);
  for (const std::string& whole : {gzip(text), gzip(text) + gzip(text), zstd(text)}) {
    const std::size_t member = whole.size() == 2 * gzip(text).size() ? whole.size() / 2 : whole.size();
    // A single byte is a valid text: it is too short to show a format.
    for (std::size_t size = 2; size < whole.size(); ++size) {
      if (size == member) continue;
      EXPECT_NE(error_of(whole.substr(0, size)), "") << size << " of " << whole.size();
    }
  }
  EXPECT_THAT(error_of(gzip(text).substr(0, 100)), HasSubstr("after 100 bytes"));
  EXPECT_THAT(error_of(zstd(text).substr(0, 100)), HasSubstr("after 100 bytes"));
}

// Frames built from the format's description (RFC 8878): magic number, descriptor, one field, and one raw
// block that holds "a".
TEST_F(ByteSourceTest, ZstdFramesThatAreSoundAndNotReadSayWhatToDo) {
  const std::string magic = "\x28\xB5\x2F\xFD";
  const std::string block("\x09\0\0a", 4);
  const auto window = [&](int exponent) {  // a window of 2^(10 + exponent) bytes
    return magic + std::string{0, static_cast<char>(exponent << 3)} + block;
  };
  EXPECT_EQ(read_all(window(17)), "a");  // 128 MiB
  EXPECT_THAT(error_of(window(18)),
              AllOf(HasSubstr("byte 0"), HasSubstr("--long=27"), Not(HasSubstr("damaged"))));
  const std::string other = zstd("b");
  EXPECT_THAT(error_of(other + window(21)), HasSubstr("byte " + std::to_string(other.size())));
  const std::string dictionary_5 = magic + "\x21\x05\x01" + block;
  EXPECT_THAT(error_of(dictionary_5), AllOf(HasSubstr("dictionary"), Not(HasSubstr("damaged"))));
}

TEST_F(ByteSourceTest, DamageIsAnError) {
  const std::string text = some_text(3000);
  for (const std::string& whole : {gzip(text), zstd(text)}) {
    for (std::size_t at = whole.size() / 2; at < whole.size(); at += 37) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
      EXPECT_NE(error_of(damaged), "") << at;
    }
  }
  std::string wrong_sum = gzip(text);
  wrong_sum[wrong_sum.size() - 8] = static_cast<char>(wrong_sum[wrong_sum.size() - 8] ^ 1);
  EXPECT_THAT(error_of(wrong_sum), HasSubstr("checksum"));
}

TEST_F(ByteSourceTest, PipesLoseNothing) {
  const std::string text = some_text(200000);
  for (const std::string& bytes : {text, gzip(text), zstd(text), std::string("ab"), std::string()}) {
    const std::string path = folder_.file("pipe");
    ::unlink(path.c_str());
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    // Writes a few bytes first, so that format detection sees a short read.
    std::jthread writer([&] {
      std::ofstream pipe(path, std::ios::binary);
      pipe.write(bytes.data(), bytes.size() < 3 ? static_cast<std::streamsize>(bytes.size()) : 3).flush();
      if (bytes.size() > 3) pipe.write(bytes.data() + 3, static_cast<std::streamsize>(bytes.size() - 3));
    });
    EXPECT_EQ(drain(*open_source({.path = path, .is_stream = true}), 1000), bytes.size() < 3 ? bytes : text);
  }
}

TEST_F(ByteSourceTest, AStopEndsTheWaitForAPipe) {
  const std::string path = folder_.file("pipe");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const Input input{.path = path, .is_stream = true};
  StopFlag stop = true;
  EXPECT_THROW(open_source(input, &stop), Stopped);  // no program writes to it

  stop = false;
  const int kept_open = ::open(path.c_str(), O_RDWR);
  const std::string text = some_text(5000);
  ASSERT_EQ(::write(kept_open, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  const auto source = open_source(input, &stop);
  std::string start(text.size(), '\0');
  ASSERT_EQ(source->read(start), text.size());
  EXPECT_EQ(start, text);
  std::jthread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    stop = true;
  });
  EXPECT_THROW(source->read(start), Stopped);
  ::close(kept_open);
}

TEST_F(ByteSourceTest, StandardInputMayBeCompressed) {
  const std::string text = some_text(5000);
  const int saved = ::dup(STDIN_FILENO);
  for (const std::string& bytes : {text, gzip(text), zstd(text)}) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    ASSERT_EQ(::write(ends[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    ::close(ends[1]);
    ::dup2(ends[0], STDIN_FILENO);
    ::close(ends[0]);
    EXPECT_EQ(drain(*open_source({.path = "-", .is_stream = true}), 100), text);
  }
  ::dup2(saved, STDIN_FILENO);
  ::close(saved);
}

TEST_F(ByteSourceTest, FilesThatAreNoTextTablesAreNamedWithTheWayToReadThem) {
  const auto bytes = [](const char* text, std::size_t size) { return std::string(text, size); };
  const std::string rest(100, 'x');
  const std::tuple<std::string, const char*, const char*> files[] = {
      {bytes("\xFD"
             "7zXZ\0",
             6),
       "compressed with xz", "`xz -dc FILE | widehash ... -`"},
      {"BZh91AY&SY", "compressed with bzip2", "`bzip2 -dc FILE |"},
      {"BZh9\x17\x72\x45\x38\x50\x90", "compressed with bzip2", "`bzip2 -dc FILE |"},
      {"PK\x03\x04", "compressed with zip", "`unzip -p FILE |"},
      {"7z\xBC\xAF\x27\x1C", "compressed with 7z", "`7z x -so FILE |"},
      {"\x04\x22\x4D\x18", "compressed with lz4", "`lz4 -dc FILE |"},
      {"PAR1\x15\x04", "in Parquet format", "Arrow"},
      {"Obj\x01", "in Avro format", "CSV"},
      {bytes("ORC\0", 4), "in ORC format", "CSV"},
      {bytes("ARROW1\0\0", 8), "in Arrow format", "DatasetWriter"},
      {bytes("\xFF\xFE"
             "a\0",
             4),
       "UTF-16 text", "`iconv -f UTF-16 -t UTF-8 FILE |"},
      {bytes("\xFE\xFF\0a", 4), "UTF-16 text", "iconv"},
      {bytes("\xFF\xFE\0\0", 4), "UTF-32 text", "iconv -f UTF-32"},
  };
  for (const auto& [magic, name, advice] : files) {
    EXPECT_THAT(error_of(magic + rest), AllOf(HasSubstr(name), HasSubstr(advice)));
  }
}

TEST_F(ByteSourceTest, ZerosInATableAreNotTakenForWideCharacters) {
  using std::string_literals::operator""s;
  for (const std::string& text : {"a\0b\0c\0"s, "a\tb\n1\0\0\0\0\0\0\0\0\0\0\0"s, std::string(40, '\0'),
                                  "a\0b\0c\0d\0e\0f\0gh\0\0i\0"s, "\xFF\xFEx\t1\n"s, "\xFE\xFFx\t1\n"s}) {
    EXPECT_EQ(error_of(text), "") << text;
  }
}

TEST_F(ByteSourceTest, WhatAPackedFileHoldsIsNamedToo) {
  const auto error_of_text = [&](const std::string& bytes, std::size_t piece_bytes) {
    try {
      drain(*open_text(file_of(bytes)), piece_bytes);
    } catch (const DataError& error) {
      EXPECT_EQ(error.path(), folder_.file("input"));
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string rest(1000, 'x');
  const std::string tar = "day.tsv" + std::string(250, '\0') + "ustar" + rest;
  const std::tuple<std::string, const char*, const char*> contents[] = {
      {"PAR1\x15\x04" + rest, "it is in Parquet format", "Arrow"},
      {std::string("\xFD"
                   "7zXZ\0",
                   6) +
           rest,
       "it is compressed with xz", " -dc FILE | xz -dc | widehash ... -`"},
      {"PK\x03\x04" + rest, "it is compressed with zip", "unpack it"},
      {std::string("\xFF\xFE"
                   "a\0",
                   4) +
           rest,
       "it is UTF-16", " -dc FILE | iconv -f UTF-16 -t UTF-8 | widehash ... -`"},
      {gzip(rest), "is compressed twice", " -dc FILE | widehash ... -`"},
      {zstd(rest), "is compressed twice", " -dc FILE | widehash ... -`"},
      {tar, "it is a tar archive", "tar -xf FILE"},
  };
  for (const std::size_t piece_bytes : {1, 7, 1000}) {
    for (const auto& [text, name, advice] : contents) {
      EXPECT_THAT(error_of_text(gzip(text), piece_bytes),
                  AllOf(HasSubstr(name), HasSubstr(advice), HasSubstr("gzip")));
      EXPECT_THAT(error_of_text(zstd(text), piece_bytes),
                  AllOf(HasSubstr(name), HasSubstr(advice), HasSubstr("zstd")));
      EXPECT_EQ(read_all(gzip(text)), text) << "to who asks for bytes";
    }
    for (const std::string& text : {some_text(100000), std::string("ab"), std::string()}) {
      for (const std::string& bytes : {text, gzip(text), zstd(text)})
        EXPECT_EQ(drain(*open_text(file_of(bytes)), piece_bytes), text);
    }
  }
  EXPECT_THAT(error_of(tar), HasSubstr("is a tar archive"));
}

TEST_F(ByteSourceTest, AFileIsReadUpToWhereItEndedWhenItsSizeWasTaken) {
  const std::string path = folder_.file("grown");
  const auto read = [&](std::uint64_t size_bytes) {
    return drain(*open_source({.path = path, .size_bytes = size_bytes}), 1000);
  };
  std::ofstream(path) << "a\nb\nc\n";
  EXPECT_EQ(read(4), "a\nb\n") << "whole rows that were appended are left alone";
  EXPECT_THAT([&] { read(3); }, testing::ThrowsMessage<DataError>(HasSubstr("has grown")));
  EXPECT_THAT([&] { read(0); }, testing::ThrowsMessage<DataError>(HasSubstr("has grown")))
      << "as files of /proc";
  EXPECT_THAT([&] { read(7); }, testing::ThrowsMessage<DataError>(HasSubstr("became shorter")));
  const std::string packed = gzip("a\n");
  std::ofstream(path, std::ios::binary) << packed << packed;
  EXPECT_THAT([&] { read(packed.size()); }, testing::ThrowsMessage<DataError>(HasSubstr("has grown")));
  EXPECT_THAT([&] { read(3 * packed.size()); },
              testing::ThrowsMessage<DataError>(HasSubstr("became shorter")));
}

TEST_F(ByteSourceTest, TextThatBeginsAsAnotherFormatIsText) {
  for (const char* text :
       {"PAR1\tx\n", "PAR1", "BZh9 is no magic number alone\n", "ORC\telf\r\n1\t2\n", "Obj\tx\n", "PK\tx\n",
        "7z\tx\n", "ARROW1\tx\n", "FEA1,b\n", "\xFF\tx\n", "PAR1 is a name\na \x01\n",
        "\xEF\xBB\xBF"
        "a\n"}) {
    EXPECT_EQ(read_all(text), text);
  }
}

TEST_F(ByteSourceTest, PositionEndsAtTheSizeOfTheFile) {
  const std::string text = some_text(100000);
  for (const std::string& bytes : {text, gzip(text), zstd(text)}) {
    const auto source = open_source(file_of(bytes));
    EXPECT_EQ(source->position(), 0u);
    drain(*source, 1000);
    EXPECT_EQ(source->position(), bytes.size());
  }
}

TEST_F(ByteSourceTest, WhatWasPutBackComesFirst) {
  const std::string text = some_text(1000);
  for (const std::size_t taken : {0, 1, 500, 1000}) {
    auto source = memory_source(text);
    std::string sample(taken, '\0');
    ASSERT_EQ(source->read(sample), taken);
    for (const std::size_t piece : {1, 7, 2000}) {
      EXPECT_EQ(drain(*put_back(sample, memory_source(text.substr(taken))), piece), text);
    }
    EXPECT_EQ(drain(*put_back(sample, std::move(source)), 64), text);
  }
}

TEST_F(ByteSourceTest, MissingFilesAndFoldersAreFileErrors) {
  EXPECT_THROW(open_source({.path = folder_.file("missing")}), FileError);
  EXPECT_THROW(open_source({.path = folder_.file("")}), FileError);
}

}  // namespace
}  // namespace widehash::test

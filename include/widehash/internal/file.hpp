#pragma once

/// \file
/// File operations: reading whole files, mapping them, and writing them under a temporary name before putting
/// them in place atomically. Errors: FileError names the path and the failed call.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace widehash {

/// Returns the contents of a text file. Throws FileError, also for a directory and whatever else is not a
/// regular file; DataError for a file of more than 1 GiB, which none of ours is.
std::string read_text_file(const std::string& path);
/// The same for a text that a user writes, which may also come through a pipe: at most 64 MiB.
std::string read_user_text(const std::string& path);

/// Replaces `path` by `text` atomically: writes a temporary file, fsync, rename, fsync of the folder. Throws
/// what AtomicFile throws.
void write_text_file(const std::string& path, std::string_view text);

/// Makes `path` and its parents. Throws FileError; ConfigError if `path` is empty or a link that leads to
/// nothing.
void make_directories(const std::string& path);

/// Size of a regular file. Throws FileError if it is missing or not a regular file.
std::uint64_t file_size_bytes(const std::string& path);

/// Returns the path as it resolves now, independent of later changes of the working directory; "" stays "".
/// Throws FileError; ConfigError for a path with a zero byte.
std::string fixed_path(const std::string& path);

/// Whether anything is there: a file, a folder or something else. Follows links. Throws FileError if the
/// system does not say: what cannot be inspected may be there and must not be taken for a free place.
bool file_exists(const std::string& path);
/// The same for a folder.
bool is_folder(const std::string& path);
/// Whether both paths exist and lead, through links, to the same file or folder. Throws as file_exists()
/// does.
bool is_same_file(const std::string& a, const std::string& b);

/// Names of everything in a folder, in no particular order. Throws FileError.
std::vector<std::string> list_directory(const std::string& path);

/// Flushes the entries of a folder, so that a rename in it survives a power failure. Throws FileError.
void sync_directory(const std::string& path);

/// Follows the links at the end of `path`, even if nothing is there yet. Throws FileError if the links form a
/// circle.
std::string behind_links(const std::string& path);

/// Where a file is written before it is put in place: `<place>.tmp`, where place is behind_links(path).
/// Throws what that throws.
std::string aside_path_of(const std::string& path);
/// The FileLock of a file that is being written: `<place>.lock`. Throws what behind_links() throws.
std::string lock_path_of(const std::string& path);

/// When the bytes of a file are guaranteed to be on disk.
enum class Flush {
  now,
  /// When the caller calls flush_files() for many files together. Flushing each file as soon as it is written
  /// waits for the disk once per file; flushing one right after others hardly waits.
  later
};

/// Flushes previously written files of a folder, and its entries. All are sent to the disk before the first
/// wait: per file this takes a quarter of the time of flushing each when it is written, and half the time of
/// flushing one after another (2,000 files of 600 bytes, ext4: 0.41, 0.18 and 0.09 ms). Throws FileError.
void flush_files(const std::string& directory, const std::vector<std::string>& names);

/// A file that is written beside its final place, which is behind_links(path). Nothing is seen there until
/// commit(). A file that is destroyed uncommitted leaves nothing behind; a killed process leaves
/// `<place>.tmp`.
class AtomicFile {
 public:
  /// Throws ConfigError if something other than a regular file has this name, or if the temporary name is
  /// taken by something other than a file of its own, such as a link or a pipe (a link to a character device is
  /// written to); FileError.
  explicit AtomicFile(std::string path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;

  /// Appends. Continues after short writes; a full disk throws FileError.
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  std::uint64_t bytes_written() const noexcept { return bytes_written_; }
  /// fsync, rename to the final path, fsync of the folder. Throws FileError; destroying the object then
  /// leaves no temporary file.
  void commit(Flush flush = Flush::now);

 private:
  std::string path_;  // as it was given, for messages
  std::string place_;
  std::string aside_path_;
  int descriptor_ = -1;
  std::uint64_t bytes_written_ = 0;
};

/// A read-only mapping of a whole file; an empty file maps to an empty span. A process that reads a part that
/// has been cut off since receives SIGBUS.
class MappedFile {
 public:
  explicit MappedFile(std::string path);  // throws FileError
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;

  std::span<const std::byte> bytes() const noexcept { return {data_, size_bytes_}; }
  const std::string& path() const noexcept { return path_; }
  /// Asks the system to read ahead (it may decline).
  void prefetch() const noexcept;
  /// Tells the system that the pages are not needed for now, which bounds memory.
  void release_pages() const noexcept;

 private:
  void unmap() noexcept;

  std::string path_;
  const std::byte* data_ = nullptr;
  std::size_t size_bytes_ = 0;
};

/// An advisory lock on a file that is being written, held for the life of the object, so that two runs cannot
/// write it. It is a file `<path>.lock`, which is removed with the object; a killed process leaves it behind,
/// unlocked. Throws ConfigError naming the process that holds it, or if another file has its name; FileError
/// if its folder cannot be written.
class FileLock {
 public:
  explicit FileLock(const std::string& path) : FileLock(path, lock_path_of(path)) {}
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  /// Contents of the lock file while it is locked: the process id and, on a line of its own, a random number,
  /// so that the file of another run is not taken for it.
  const std::string& mark() const noexcept { return mark_; }

 protected:
  /// Messages name `place`.
  FileLock(const std::string& place, std::string lock_path);

 private:
  std::string lock_path_;
  std::string mark_;
  int descriptor_ = -1;
};

/// The same for a folder, by a file `.lock` inside it. Also throws ConfigError if members of an earlier run
/// are still at work.
class DirectoryLock : public FileLock {
 public:
  explicit DirectoryLock(const std::string& directory);
  ~DirectoryLock();

 private:
  std::string directory_;
};

/// What the other processes of a run hold while one process holds the DirectoryLock. If that process dies, no
/// other run can lock the folder before all members of this run have ended. Throws ConfigError if the folder
/// is not the one whose lock has this mark().
class DirectoryMember {
 public:
  DirectoryMember(const std::string& directory, const std::string& mark);
  ~DirectoryMember();
  DirectoryMember(const DirectoryMember&) = delete;
  DirectoryMember& operator=(const DirectoryMember&) = delete;

 private:
  std::string directory_;
  int descriptor_ = -1;
};

}  // namespace widehash

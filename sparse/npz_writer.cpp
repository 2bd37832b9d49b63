#include "npz_writer.hpp"

#include <type_traits>

#include <fmt/format.h>
#include <isa-l.h>

namespace widehash::detail {
namespace {

// Names and values from PKWARE's APPNOTE 6.3.9.
constexpr std::uint32_t local_header_signature = 0x04034b50;
constexpr std::uint32_t data_descriptor_signature = 0x08074b50;
constexpr std::uint32_t central_header_signature = 0x02014b50;
constexpr std::uint32_t zip64_end_signature = 0x06064b50;
constexpr std::uint32_t zip64_locator_signature = 0x07064b50;
constexpr std::uint32_t end_signature = 0x06054b50;
constexpr std::uint16_t version_with_zip64 = 45;
constexpr std::uint16_t crc_follows_data = 1 << 3;
constexpr std::uint16_t stored = 0;
constexpr std::uint16_t midnight = 0;
constexpr std::uint16_t first_day_of_1980 = (1 << 5) | 1;
constexpr std::uint16_t zip64_extra = 1;
constexpr std::uint32_t see_zip64 = 0xFFFFFFFF;
constexpr std::uint16_t see_zip64_count = 0xFFFF;

/// Little-endian fields one after the other.
class Fields {
 public:
  template <class T>
  Fields& put(T value) {
    static_assert(std::is_unsigned_v<T>);
    text_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  Fields& put_text(std::string_view text) {
    text_ += text;
    return *this;
  }
  const std::string& text() const noexcept { return text_; }

 private:
  std::string text_;
};

constexpr std::uint16_t no_length = 0;

std::uint16_t length_of(const std::string& name) { return static_cast<std::uint16_t>(name.size()); }

// NPY format 1.0: magic, version, length of the header, a Python literal, and spaces up to a multiple of 64
// bytes.
std::string npy_header(std::string_view dtype, const std::vector<std::uint64_t>& shape) {
  std::string sizes;
  for (const std::uint64_t size : shape) sizes += fmt::format("{},", size);
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", dtype, sizes);
  constexpr std::size_t prefix_bytes = 10;
  constexpr std::size_t alignment = 64;
  const std::size_t bytes = (prefix_bytes + header.size() + 1 + alignment - 1) / alignment * alignment;
  header.resize(bytes - prefix_bytes - 1, ' ');
  header += '\n';
  Fields fields;
  fields.put_text("\x93NUMPY").put(std::uint8_t{1}).put(std::uint8_t{0});
  fields.put(static_cast<std::uint16_t>(header.size())).put_text(header);
  return fields.text();
}

}  // namespace

void NpzWriter::begin_array(std::string name, std::string_view dtype,
                            const std::vector<std::uint64_t>& shape) {
  end_array();
  entries_.push_back({.name = std::move(name) + ".npy", .offset = file_.bytes_written()});
  in_array_ = true;
  const std::string& entry_name = entries_.back().name;
  // The checksum and the sizes are known only after the data, so they follow it.
  Fields header;
  header.put(local_header_signature).put(version_with_zip64).put(crc_follows_data).put(stored);
  header.put(midnight).put(first_day_of_1980).put(std::uint32_t{0}).put(see_zip64).put(see_zip64);
  header.put(length_of(entry_name)).put(std::uint16_t{20}).put_text(entry_name);
  header.put(zip64_extra).put(std::uint16_t{16}).put(std::uint64_t{0}).put(std::uint64_t{0});
  file_.write(header.text());
  const std::string npy = npy_header(dtype, shape);
  append(std::as_bytes(std::span(npy)));
}

void NpzWriter::append(std::span<const std::byte> bytes) {
  Entry& entry = entries_.back();
  entry.crc =
      ::crc32_gzip_refl(entry.crc, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  entry.bytes += bytes.size();
  file_.write(bytes);
}

void NpzWriter::end_array() {
  if (!in_array_) return;
  in_array_ = false;
  const Entry& entry = entries_.back();
  Fields descriptor;
  descriptor.put(data_descriptor_signature).put(entry.crc).put(entry.bytes).put(entry.bytes);
  file_.write(descriptor.text());
}

void NpzWriter::finish() {
  end_array();
  const std::uint64_t directory_offset = file_.bytes_written();
  for (const Entry& entry : entries_) {
    Fields header;
    header.put(central_header_signature).put(version_with_zip64).put(version_with_zip64);
    header.put(crc_follows_data).put(stored).put(midnight).put(first_day_of_1980);
    header.put(entry.crc).put(see_zip64).put(see_zip64).put(length_of(entry.name)).put(std::uint16_t{28});
    constexpr std::uint16_t first_disk = 0;
    constexpr std::uint16_t internal_attributes = 0;
    constexpr std::uint32_t external_attributes = 0;
    header.put(no_length).put(first_disk).put(internal_attributes).put(external_attributes).put(see_zip64);
    header.put_text(entry.name);
    header.put(zip64_extra).put(std::uint16_t{24}).put(entry.bytes).put(entry.bytes).put(entry.offset);
    file_.write(header.text());
  }
  const std::uint64_t end_offset = file_.bytes_written();
  const std::uint64_t num_entries = entries_.size();
  Fields end;
  end.put(zip64_end_signature).put(std::uint64_t{44}).put(version_with_zip64).put(version_with_zip64);
  end.put(std::uint32_t{0}).put(std::uint32_t{0}).put(num_entries).put(num_entries);
  end.put(end_offset - directory_offset).put(directory_offset);
  end.put(zip64_locator_signature).put(std::uint32_t{0}).put(end_offset).put(std::uint32_t{1});
  end.put(end_signature)
      .put(std::uint16_t{0})
      .put(std::uint16_t{0})
      .put(see_zip64_count)
      .put(see_zip64_count);
  end.put(see_zip64).put(see_zip64).put(no_length);
  file_.write(end.text());
  file_.commit();
}

}  // namespace widehash::detail

#include <widehash/first_bytes.hpp>
#include <widehash/missing_words.hpp>

namespace widehash {

MissingWords::MissingWords(std::span<const std::string> texts) {
  for (const std::string& text : texts) {
    if (text.empty()) continue;
    if (text.size() > sizeof(std::uint64_t)) {
      are_all_ = false;
      continue;
    }
    MissingWord& missing = words_.emplace_back();
    missing.length = text.size();
    missing.mask = ~std::uint64_t{0} >> (64 - 8 * text.size());
    missing.word = detail::first_bytes(text.data(), text.size()) & missing.mask;
  }
}

}  // namespace widehash

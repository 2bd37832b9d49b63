#include <widehash/internal/first_bytes.hpp>
#include <widehash/internal/missing_words.hpp>

#include <algorithm>

namespace widehash {

MissingWords::MissingWords(std::span<const std::string> texts)
    : texts_(std::make_shared<const std::vector<std::string>>(texts.begin(), texts.end())) {
  for (const std::string& text : *texts_) {
    if (text.empty()) continue;
    const std::size_t num_first = std::min(text.size(), sizeof(std::uint64_t));
    MissingWord& missing = words_.emplace_back();
    missing.length = text.size();
    missing.mask = ~std::uint64_t{0} >> (64 - 8 * num_first);
    missing.word = detail::first_bytes(text.data(), text.size()) & missing.mask;
    missing.rest = text.data() + num_first;
  }
}

}  // namespace widehash

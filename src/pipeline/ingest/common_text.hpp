#pragma once

/// \file
/// Text that many objects share.

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace widehash {

/// An immutable text. Copies share it and take no memory of their own.
class CommonText {
 public:
  CommonText(std::string text) : text_(std::make_shared<const std::string>(std::move(text))) {}
  CommonText(std::string_view text) : CommonText(std::string(text)) {}
  CommonText(const char* text) : CommonText(std::string(text)) {}

  const std::string& str() const noexcept { return *text_; }
  operator const std::string&() const noexcept { return *text_; }
  bool operator==(const CommonText& other) const noexcept { return *text_ == *other.text_; }

 private:
  std::shared_ptr<const std::string> text_;
};

/// Shares texts that come one after another and are mostly equal.
class RunOfText {
 public:
  const CommonText& next(std::string&& text) {
    if (text != last_.str()) last_ = std::move(text);
    return last_;
  }

 private:
  CommonText last_ = "";
};

}  // namespace widehash

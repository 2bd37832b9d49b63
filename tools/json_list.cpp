#include "json_list.hpp"

#include <string>

namespace widehash::tools {

JsonListOutput::JsonListOutput(std::string_view key) { output_.write("{" + Json(key).dump() + ":["); }

void JsonListOutput::add(const Json& item) {
  output_.write((is_empty_ ? "" : ",") + json_text(item));
  is_empty_ = false;
}

void JsonListOutput::finish(const Json& others) {
  output_.write("]," + json_text(others).substr(1) + '\n');
  output_.finish();
}

}  // namespace widehash::tools

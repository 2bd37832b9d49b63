#pragma once

/// \file
/// Texts between the ranks of a job. Every rank calls these in the same order.

#include <widehash/communicator.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace widehash {

/// Rank 0's text to all.
void share_text(Communicator& communicator, std::string& text);

/// Every rank's text to rank 0, in the order of ranks; the others get nothing.
std::vector<std::string> gather_texts(Communicator& communicator, std::string_view own);

/// Throws ConfigError on every rank where not all gave the same text, naming the first that differs from rank
/// 0 and saying that `what` must be the same, and `hint` behind it.
void require_same(Communicator& communicator, std::string_view text, std::string_view what,
                  std::string_view hint = {});

}  // namespace widehash

#pragma once

/// \file
/// Exchanges texts between the ranks of a job. Every rank must call these functions in the same order.

#include <widehash/communicator.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace widehash {

/// Sends rank 0's text to all ranks.
void share_text(Communicator& communicator, std::string& text);

/// Sends every rank's text to rank 0, which gets them in rank order; the other ranks get nothing.
std::vector<std::string> gather_texts(Communicator& communicator, std::string_view own);

/// Throws ConfigError on every rank if the texts of the ranks differ. The message names the first rank that
/// differs from rank 0 and says that `what` must be the same, followed by `hint`.
void require_same(Communicator& communicator, std::string_view text, std::string_view what,
                  std::string_view hint = {});

}  // namespace widehash

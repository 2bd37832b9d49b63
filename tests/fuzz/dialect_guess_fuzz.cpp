// Every sample is guessed to be some table, and a text written in that dialect can be read with it.
#include "claims.hpp"
#include "fuzz_bytes.hpp"

#include <widehash/internal/dialect_guess.hpp>
#include <widehash/internal/row_parser.hpp>

#include <string>

using namespace widehash;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::FuzzBytes input(data, size);
  const unsigned choice = input.byte();
  DialectHints hints;
  if ((choice & 1) != 0) hints.delimiter = static_cast<char>(input.byte());
  if ((choice & 2) != 0) hints.quote = (choice & 4) != 0 ? '"' : '\0';
  if ((choice & 8) != 0) hints.trim = (choice & 16) != 0;
  if ((choice & 32) != 0) hints.header = (choice & 64) != 0;
  if (hints.delimiter == '\n' || (hints.delimiter && hints.delimiter == hints.quote)) return 0;
  const std::string sample(input.rest());
  const DialectGuess guess = guess_dialect(sample, (choice & 128) != 0, hints);
  fuzz::require(guess.consistency >= 0 && guess.consistency <= 1, "a share is between 0 and 1");
  fuzz::require(!hints.delimiter || guess.dialect.delimiter == *hints.delimiter, "a known delimiter is kept");
  fuzz::require(!hints.quote || guess.dialect.quote == *hints.quote, "a known quote is kept");
  fuzz::require(!hints.header || guess.has_header == *hints.header || guess.fields.empty(),
                "a known header is kept");
  if (guess.fields.empty()) return 0;
  RowParser parser(guess.dialect, guess.fields.size());
  parser.start(sample);
  RowBatch batch;
  while (parser.next(batch, 100)) {
    fuzz::require(batch.fields.size() == batch.num_rows * guess.fields.size(),
                  "rows have the fields guessed");
  }
  return 0;
}

#include "base/damage.hpp"

#include <widehash/csr.hpp>
#include <widehash/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace widehash {
namespace {

using testing::HasSubstr;

Csr drawn() { return {3, 4, {0, 2, 2, 4}, {0, 2, 1, 3}, {1, 2, 3, 4}}; }

std::string refusal(const Csr& matrix) {
  return test::message_of<ShapeError>([&] { check_csr(matrix.view()); });
}

TEST(CheckCsr, TakesTheDrawingAndEmptyMatrices) {
  EXPECT_NO_THROW(check_csr(drawn().view()));
  EXPECT_NO_THROW(check_csr(Csr{}.view()));
  EXPECT_NO_THROW(check_csr(Csr{2, 0, {0, 0, 0}, {}, {}}.view()));
  EXPECT_EQ(drawn().view().num_nonzeros(), 4);
}

TEST(CheckCsr, NamesWhatIsWrong) {
  const auto broken = [](auto change) {
    Csr matrix = drawn();
    change(matrix);
    return refusal(matrix);
  };
  EXPECT_THAT(broken([](Csr& m) { m.columns[3] = 4; }), HasSubstr("row 2: column 4 of 4"));
  EXPECT_THAT(broken([](Csr& m) { m.columns[0] = -1; }), HasSubstr("row 0: column -1"));
  EXPECT_THAT(broken([](Csr& m) { m.columns[1] = 0; }), HasSubstr("row 0: column 0 after 0"));
  EXPECT_THAT(broken([](Csr& m) { std::swap(m.columns[2], m.columns[3]); }),
              HasSubstr("row 2: column 1 after 3"));
  EXPECT_THAT(broken([](Csr& m) { m.row_offsets[2] = 1; }), HasSubstr("row 1: offsets 2 to 1"));
  EXPECT_THAT(broken([](Csr& m) { m.row_offsets[1] = 9; }), HasSubstr("row 0: offsets 0 to 9"));
  EXPECT_THAT(broken([](Csr& m) { m.row_offsets.back() = 3; }), HasSubstr("from 0 to 3"));
  EXPECT_THAT(broken([](Csr& m) { m.row_offsets.pop_back(); }), HasSubstr("3 rows"));
  EXPECT_THAT(broken([](Csr& m) { m.row_offsets.clear(); }), HasSubstr("has 0"));
  EXPECT_THAT(broken([](Csr& m) { m.values.pop_back(); }), HasSubstr("3 values"));
  EXPECT_THAT(broken([](Csr& m) { m.num_rows = -1; }), HasSubstr("-1 x 4"));
}

}  // namespace
}  // namespace widehash

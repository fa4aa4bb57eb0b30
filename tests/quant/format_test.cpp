// The contract of a weight format, held against every format of the build; and the `gguf` package's results
// (tests/golden/quant/) against ours, bit for bit.
#include "quant/format.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/checked.h"
#include "quant/packed_matrix.h"

namespace kelda::quant {
namespace {

std::vector<float> normal_floats(int64_t n, uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> x(static_cast<size_t>(n));
  for (float& v : x) v = normal(random);
  return x;
}

std::vector<std::byte> random_bytes(int64_t n, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::byte> bytes(static_cast<size_t>(n));
  for (std::byte& b : bytes) b = static_cast<std::byte>(random() & 0xFF);
  return bytes;
}

::testing::AssertionResult same_floats(const float* a, const float* b, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    if (std::isnan(a[i]) && std::isnan(b[i])) continue;
    if (std::memcmp(a + i, b + i, sizeof(float)) != 0) {
      return ::testing::AssertionFailure() << "element " << i << ": " << a[i] << " and " << b[i];
    }
  }
  return ::testing::AssertionSuccess();
}

// Memory that ends where a page begins that may not be touched; what is read past its end stops the test.
class GuardedBytes {
 public:
  explicit GuardedBytes(const std::vector<std::byte>& bytes) : size_(bytes.size()) {
    const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
    mapped_ = (size_ / page + 2) * page;
    void* start = ::mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED) std::abort();
    start_ = static_cast<std::byte*>(start);
    ::mprotect(start_ + mapped_ - page, page, PROT_NONE);
    data_ = start_ + mapped_ - page - size_;
    std::memcpy(data_, bytes.data(), size_);
  }
  ~GuardedBytes() { ::munmap(start_, mapped_); }
  GuardedBytes(const GuardedBytes&) = delete;
  GuardedBytes& operator=(const GuardedBytes&) = delete;
  std::byte* data() { return data_; }

 private:
  size_t size_, mapped_;
  std::byte* start_;
  std::byte* data_;
};

class Format : public ::testing::TestWithParam<const FormatSpec*> {
 protected:
  const FormatSpec& format_ = *GetParam();
};

TEST_P(Format, StatesWhatTheEngineDerivesFrom) {
  EXPECT_FALSE(format_.name.empty());
  EXPECT_EQ(find_format(format_.name), &format_);
  EXPECT_EQ(find_format(format_.gguf_type), &format_);
  EXPECT_EQ(format_.unit_bytes % 64, 0);
  EXPECT_GT(format_.unit_k, 0);
  EXPECT_TRUE(format_.unit_k % format_.block_size == 0 || format_.block_size % format_.unit_k == 0);
  EXPECT_NE(format_.dequantize, nullptr);
  EXPECT_NE(format_.quantize, nullptr);
  EXPECT_NE(format_.pack, nullptr);
  if (format_.quantized) {
    EXPECT_NE(format_.decode, nullptr);
    EXPECT_EQ(format_.block_size % kActBlock, 0);
    EXPECT_GE(format_.n_mins, 0);
    EXPECT_LE(format_.n_mins, 2);
  } else {
    EXPECT_NE(format_.value, nullptr);
  }
}

TEST_P(Format, StaysBelowItsDeclaredErrorAndIsNotFarBelow) {
  const int64_t n = 256 * 256;
  const std::vector<float> x = normal_floats(n, 1);
  std::vector<std::byte> bytes(static_cast<size_t>(row_bytes(format_, n)));
  std::vector<float> back(static_cast<size_t>(n));
  format_.quantize(x.data(), bytes.data(), n);
  format_.dequantize(bytes.data(), back.data(), n);
  double error = 0, size = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    error += (static_cast<double>(back[i]) - x[i]) * (static_cast<double>(back[i]) - x[i]);
    size += static_cast<double>(x[i]) * x[i];
  }
  const double rmse = std::sqrt(error / size);
  RecordProperty("rmse", std::to_string(rmse));
  EXPECT_LE(rmse, format_.max_rmse);
  if (rmse > 0) {
    EXPECT_GT(rmse, format_.max_rmse / 1.5) << "declare a tighter error";
  }
}

TEST_P(Format, QuantizesWhatItDequantizedToTheSameValues) {
  const int64_t n = 1024;
  std::vector<std::byte> bytes(static_cast<size_t>(row_bytes(format_, n))), again(bytes.size());
  std::vector<float> once(static_cast<size_t>(n)), twice(once);
  format_.quantize(normal_floats(n, 2).data(), bytes.data(), n);
  format_.dequantize(bytes.data(), once.data(), n);
  format_.quantize(once.data(), again.data(), n);
  format_.dequantize(again.data(), twice.data(), n);
  for (size_t i = 0; i < once.size(); ++i) EXPECT_NEAR(once[i], twice[i], 2e-3) << i;
}

// Any bytes, any shape: the packed form says what the row form says.
TEST_P(Format, UnpacksToWhatItDequantizesTo) {
  for (int64_t rows : {1, 15, 16, 17, 50}) {
    for (int64_t blocks : {1, 2, 3, 5, 8}) {
      const int64_t cols = blocks * format_.block_size, bytes = row_bytes(format_, cols);
      GuardedBytes row_form(random_bytes(rows * bytes, static_cast<uint32_t>(rows * 100 + blocks)));
      PackedMatrix w(format_, rows, cols);
      // In two calls, as threads do.
      const int64_t half = w.n_groups() / 2;
      w.pack_groups(half, w.n_groups() - half, row_form.data() + half * kLanes * bytes);
      w.pack_groups(0, half, row_form.data());
      std::vector<float> unpacked(static_cast<size_t>(cols)), want(unpacked);
      for (int64_t r = 0; r < rows; ++r) {
        w.unpack_row(r, unpacked.data());
        format_.dequantize(row_form.data() + r * bytes, want.data(), cols);
        EXPECT_TRUE(same_floats(unpacked.data(), want.data(), cols))
            << "row " << r << " of " << rows << " x " << cols;
      }
    }
  }
}

// What the dot product is defined on stays in the ranges that make it exact, whatever the bytes.
TEST_P(Format, DecodesToSmallIntegers) {
  if (!format_.quantized) GTEST_SKIP() << "a float format has no codes";
  const int64_t cols = 4 * format_.block_size, bytes = row_bytes(format_, cols);
  PackedMatrix w(format_, kLanes, cols);
  for (uint32_t round = 0; round < 50; ++round) {
    const std::vector<std::byte> rows = random_bytes(kLanes * bytes, 60 + round);
    w.pack_groups(0, 1, rows.data());
    for (int lane = 0; lane < kLanes; ++lane) {
      for (int64_t kb = 0; kb < cols / kActBlock; ++kb) {
        DecodedBlock block;
        format_.decode(w.group(0), kb, lane, block);
        int64_t largest_dot = 0;
        for (int k = 0; k < kActBlock; ++k) {
          ASSERT_GE(block.code[k], -128);
          ASSERT_LE(block.code[k], 127);
          largest_dot += std::abs(block.code[k] * block.factor[k / 16]) * int64_t{127};
        }
        ASSERT_LT(largest_dot, int64_t{1} << 24);  // exact as a float
        if (format_.n_mins == 0) {
          ASSERT_EQ(block.min[0], 0.0f);
          ASSERT_EQ(block.min[1], 0.0f);
        } else if (format_.n_mins == 1) {
          EXPECT_TRUE(same_floats(&block.min[0], &block.min[1], 1));
        }
      }
    }
  }
}

TEST_P(Format, ReadsNothingPastTheEndOfItsPackedForm) {
  for (int64_t blocks : {1, 2, 3}) {
    const int64_t cols = blocks * format_.block_size;
    PackedMatrix w(format_, kLanes, cols);
    const std::vector<std::byte> rows = random_bytes(kLanes * row_bytes(format_, cols), 3);
    w.pack_groups(0, 1, rows.data());
    ASSERT_EQ(w.bytes(), static_cast<uint64_t>(ceil_div(cols, format_.unit_k) * format_.unit_bytes));
    GuardedBytes group({w.group(0), w.group(0) + w.bytes()});
    for (int lane = 0; lane < kLanes; ++lane) {
      DecodedBlock block;
      for (int64_t k = 0; k < cols; ++k) {
        if (!format_.quantized) {
          const float a = format_.value(group.data(), k, lane), b = format_.value(w.group(0), k, lane);
          EXPECT_TRUE(same_floats(&a, &b, 1));
        } else if (k % kActBlock == 0) {
          format_.decode(group.data(), k / kActBlock, lane, block);
        }
      }
    }
  }
}

TEST_P(Format, PadsWithZeroWeights) {
  // One row of one block: all other lanes, and the columns up to the unit's end, are zero.
  const int64_t cols = format_.block_size;
  PackedMatrix w(format_, 1, cols);
  w.pack_groups(0, 1, random_bytes(row_bytes(format_, cols), 4).data());
  for (int lane = 0; lane < kLanes; ++lane) {
    for (int64_t k = lane == 0 ? round_up(cols, kActBlock) : 0; k < format_.unit_k; ++k) {
      if (!format_.quantized) {
        EXPECT_EQ(format_.value(w.group(0), k, lane), 0.0f);
        continue;
      }
      DecodedBlock block;
      format_.decode(w.group(0), k / kActBlock, lane, block);
      EXPECT_EQ(weight(format_, block, static_cast<int>(k % kActBlock)), 0.0f);
    }
  }
}

TEST_P(Format, QuantizesHostileFloatsWithoutHarm) {
  const float inf = std::numeric_limits<float>::infinity(), max = std::numeric_limits<float>::max();
  const float nan = std::numeric_limits<float>::quiet_NaN(),
              denormal = std::numeric_limits<float>::denorm_min();
  const int64_t n = 256;
  for (float v : {inf, -inf, max, -max, nan, denormal, -denormal, 0.0f, -0.0f}) {
    for (size_t at : {size_t{0}, size_t{31}, size_t{77}}) {
      std::vector<float> x = normal_floats(n, 5);
      x[at] = v;
      x[200] = -v;
      std::vector<std::byte> bytes(static_cast<size_t>(row_bytes(format_, n)));
      format_.quantize(x.data(), bytes.data(), n);
      format_.dequantize(bytes.data(), x.data(), n);
    }
    std::vector<float> same(static_cast<size_t>(n), v);
    std::vector<std::byte> bytes(static_cast<size_t>(row_bytes(format_, n)));
    format_.quantize(same.data(), bytes.data(), n);
    format_.dequantize(bytes.data(), same.data(), n);
    if (v == 0) {
      for (float zero : same) EXPECT_EQ(zero, 0.0f);
    }
  }
}

std::vector<std::byte> from_hex(const std::string& hex) {
  std::vector<std::byte> bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}
std::vector<float> floats_from_hex(const std::string& hex) {
  const std::vector<std::byte> bytes = from_hex(hex);
  std::vector<float> floats(bytes.size() / sizeof(float));
  std::memcpy(floats.data(), bytes.data(), bytes.size());
  return floats;
}

TEST_P(Format, AgreesWithTheGgufPackage) {
  const std::string path =
      std::string(KELDA_SOURCE_DIR) + "/tests/golden/quant/" + std::string(format_.name) + ".json";
  std::ifstream file(path);
  ASSERT_TRUE(file) << path << " is missing: scripts/make_quant_golden.py";
  const nlohmann::json golden = nlohmann::json::parse(file);
  ASSERT_GE(golden.at("dequantize").size(), 4u);
  for (const auto& row : golden.at("dequantize")) {
    const std::vector<std::byte> bytes = from_hex(row.at("bytes"));
    const std::vector<float> want = floats_from_hex(row.at("floats"));
    const auto n = static_cast<int64_t>(want.size());
    ASSERT_EQ(row_bytes(format_, n), static_cast<int64_t>(bytes.size()));
    std::vector<float> got(want.size());
    format_.dequantize(bytes.data(), got.data(), n);
    EXPECT_TRUE(same_floats(got.data(), want.data(), n));
  }
  if (golden.at("quantize").is_null()) return;  // the package only reads the format; the search is ours
  ASSERT_GE(golden.at("quantize").size(), 10u);
  int i = 0;
  for (const auto& row : golden.at("quantize")) {
    const std::vector<float> x = floats_from_hex(row.at("floats"));
    std::vector<std::byte> got(static_cast<size_t>(row_bytes(format_, static_cast<int64_t>(x.size()))));
    format_.quantize(x.data(), got.data(), static_cast<int64_t>(x.size()));
    EXPECT_EQ(got, from_hex(row.at("bytes"))) << "row " << i;
    ++i;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Format, ::testing::ValuesIn(formats().begin(), formats().end()),
                         [](const auto& test) { return std::string(test.param->name); });

TEST(Formats, HaveDifferentNamesAndTypes) {
  std::set<std::string_view> names;
  std::set<uint32_t> types;
  for (const FormatSpec* f : formats()) {
    EXPECT_TRUE(names.insert(f->name).second) << f->name;
    EXPECT_TRUE(types.insert(f->gguf_type).second) << f->name;
  }
  EXPECT_EQ(find_format("q9_9"), nullptr);
  EXPECT_EQ(find_format(uint32_t{12345}), nullptr);
}

}  // namespace
}  // namespace kelda::quant

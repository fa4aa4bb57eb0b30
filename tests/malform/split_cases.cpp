#include <cstdint>
#include <string>
#include <utility>

#include "malform/cases.h"
#include "malform/gguf_builder.h"
#include "malform/small_file.h"

namespace kelda::malform {
namespace {

std::string number(uint32_t n) {
  const std::string digits = std::to_string(n);
  return std::string(5 - digits.size(), '0') + digits;
}

std::string part_file(const std::string& set, uint32_t no, uint32_t count) {
  return set + "-" + number(no + 1) + "-of-" + number(count) + ".gguf";
}

// Part `no` of two: the first is the small file, the second has one tensor "c" and little metadata.
GgufBuilder part(uint16_t no) {
  GgufBuilder b;
  if (no == 0) {
    b = small_file();
  } else {
    b.tensors.push_back({"c", {4, 1}, kF32, std::string(16, '\x3F')});
  }
  b.add("split.no", scalar(no));
  b.add("split.count", scalar(uint16_t{2}));
  b.add("split.tensors.count", scalar(int32_t{3}));
  return b;
}

class Cases {
 public:
  // Part `opened` of the two is the file to open.
  void add(const std::string& name, int exit_status, std::string message, const GgufBuilder& first,
           const GgufBuilder& second, uint32_t opened = 0) {
    const GgufBuilder& other = opened == 0 ? second : first;
    all_.push_back({name,
                    Stage::kContainer,
                    exit_status,
                    std::move(message),
                    (opened == 0 ? first : second).bytes(),
                    0,
                    part_file(name, opened, 2),
                    {{part_file(name, 1 - opened, 2), other.bytes()}}});
  }
  void add_alone(const std::string& name, std::string message, const GgufBuilder& b, std::string file) {
    all_.push_back({name, Stage::kContainer, 2, std::move(message), b.bytes(), 0, std::move(file), {}});
  }
  std::vector<Case> take() { return std::move(all_); }

 private:
  std::vector<Case> all_;
};

}  // namespace

std::vector<Case> split_cases() {
  Cases cases;
  const auto second = [](std::string_view key, std::string value) {
    return part(1).set(key, std::move(value));
  };
  cases.add("split_is_fine", 0, "", part(0), part(1));
  cases.add("split_by_its_second_part_is_fine", 0, "", part(0), part(1), 1);
  cases.add_alone("split_missing_part", "-00002-of-00002.gguf: no such file; it is part 2 of the set",
                  part(0), part_file("split_missing_part", 0, 2));
  cases.add_alone("split_renamed", "metadata key \"split.count\" is 2: part 1 of 2 must be in a file",
                  part(0), "split_renamed.gguf");
  cases.add_alone("split_name_contradicts_no",
                  "the file's name says part 2 of 2, but its metadata says part 1 of 2", part(0),
                  part_file("split_name_contradicts_no", 1, 2));
  cases.add_alone("split_name_contradicts_count",
                  "the file's name says part 1 of 3, but its metadata says part 1 of 2", part(0),
                  part_file("split_name_contradicts_count", 0, 3));
  cases.add("split_first_part_twice", 2,
            "-00002-of-00002.gguf: the file's name says part 2 of 2, but its metadata says part 1 of 2",
            part(0), part(0));
  cases.add("split_counts_contradict", 2, "but its metadata says part 2 of 5", part(0),
            second("split.count", scalar(uint16_t{5})));
  cases.add("split_second_is_whole", 2, "its metadata says that it is a whole file, not part 2", part(0),
            part(1).remove("split.no").remove("split.count").remove("split.tensors.count"));
  cases.add("split_no_tensor_count", 2, "missing metadata key \"split.tensors.count\"", part(0),
            part(1).remove("split.tensors.count"));
  cases.add("split_no_missing", 2, "missing metadata key \"split.no\"", part(0), part(1).remove("split.no"));
  cases.add("split_no_beyond", 2, "metadata key \"split.no\" is 2; allowed are 0 to 1", part(0),
            second("split.no", scalar(uint16_t{2})));
  cases.add("split_tensor_counts_differ", 2,
            "metadata key \"split.tensors.count\" is 9, but 3 in split_tensor_counts_differ-00001", part(0),
            second("split.tensors.count", scalar(int32_t{9})));
  GgufBuilder claims_four = part(0).set("split.tensors.count", scalar(int32_t{4}));
  cases.add("split_too_few_tensors", 2, "is 4, but the first 2 of 2 parts hold 3 tensors", claims_four,
            second("split.tensors.count", scalar(int32_t{4})));
  GgufBuilder claims_one = part(0).set("split.tensors.count", scalar(int32_t{1}));
  cases.add("split_too_many_tensors", 2, "is 1, but the first 1 of 2 parts hold 2 tensors", claims_one,
            second("split.tensors.count", scalar(int32_t{1})));
  GgufBuilder repeats = part(1);
  repeats.tensors[0].name = "a";
  cases.add("split_tensor_twice", 2, "-00002-of-00002.gguf: tensor \"a\" is also in ", part(0), repeats);
  cases.add("split_other_metadata", 2, "metadata key \"test.number\" has another value than in", part(0),
            second("test.number", scalar(uint32_t{8})));
  cases.add("split_new_metadata", 2, "metadata key \"test.more\" is not in the first part", part(0),
            second("test.more", scalar(uint32_t{8})));
  cases.add("split_same_metadata_is_fine", 0, "", part(0), second("test.number", scalar(uint32_t{7})));
  GgufBuilder older = part(1);
  older.version = 2;
  cases.add("split_versions_differ", 2, "is of GGUF version 2, but ", part(0), older);
  older.version = 9;
  cases.add("split_version_unknown", 2, "-00002-of-00002.gguf: byte 4: the version is 9", part(0), older);
  GgufBuilder wide = second("general.alignment", scalar(uint32_t{64}));
  wide.alignment = 64;
  cases.add("split_alignments_differ_is_fine", 0, "", part(0), wide);
  cases.add_alone("split_too_many_parts", "metadata key \"split.count\" is 60000; at most 1024 parts",
                  part(0).set("split.count", scalar(uint16_t{60000})), "split_too_many_parts.gguf");
  return cases.take();
}

}  // namespace kelda::malform

#include <string>
#include <utility>

#include "malform/cases.h"
#include "malform/safetensors_builder.h"

namespace kelda::malform {
namespace {

using Rows = std::vector<std::pair<std::string, std::string>>;

// A file of tensors of one byte each.
std::string shard(const std::vector<std::string>& names) {
  SafetensorsBuilder b;
  for (const std::string& name : names) b.tensors.push_back({name, "U8", {1}, "x"});
  return b.bytes();
}

class Cases {
 public:
  // A set of the files in `beside`, whose names get a prefix of their own, in the index as well.
  void add(const std::string& name, int exit_status, std::string message, const Rows& weight_map,
           std::vector<SideFile> beside) {
    Rows rows = weight_map;
    for (auto& [tensor, file] : rows) {
      for (const SideFile& f : beside) {
        if (file == f.file) file = name + "-" + file;
      }
    }
    for (SideFile& f : beside) f.file = name + "-" + f.file;
    add_text(name, exit_status, std::move(message), index_of(rows), std::move(beside));
  }
  void add_text(const std::string& name, int exit_status, std::string message, std::string index,
                std::vector<SideFile> beside = {}) {
    all_.push_back({name, Stage::kContainer, exit_status, std::move(message), std::move(index), 0,
                    name + ".safetensors.index.json", std::move(beside)});
  }
  std::vector<Case> take() { return std::move(all_); }

 private:
  std::vector<Case> all_;
};

void add_set_cases(Cases& cases) {
  const SideFile one{"1.safetensors", shard({"a", "b"})}, two{"2.safetensors", shard({"c"})};
  const Rows rows = {{"c", two.file}, {"a", one.file}, {"b", one.file}};
  cases.add("sti_is_fine", 0, "", rows, {one, two});
  cases.add("sti_one_file_is_fine", 0, "", {{"a", one.file}, {"b", one.file}}, {one});
  cases.add("sti_missing_file", 2, "-9.safetensors: no such file; sti_missing_file.safetensors.index.json",
            {{"a", one.file}, {"b", one.file}, {"c", "sti-9.safetensors"}}, {one});
  cases.add("sti_tensor_not_in_its_file", 2, "tensor \"d\" is not in ",
            {{"a", one.file}, {"b", one.file}, {"d", two.file}, {"c", two.file}}, {one, two});
  cases.add("sti_tensor_in_another_file", 2, "tensor \"b\" is in ",
            {{"a", one.file}, {"b", two.file}, {"c", two.file}}, {one, two});
  cases.add("sti_tensor_not_in_index", 2, "holds tensor \"b\", which the index does not name",
            {{"a", one.file}, {"c", two.file}}, {one, two});
  cases.add("sti_tensor_in_two_files", 2, "tensor \"a\" is in both ", rows,
            {one, {two.file, shard({"a", "c"})}});
  cases.add("sti_file_malformed", 2, "2.safetensors: byte 0: the header's length is 1", rows,
            {one, {two.file, raw(uint64_t{1}) + "{}"}});
  cases.add("sti_file_cut", 2, "2.safetensors: byte", rows,
            {one, {two.file, two.bytes.substr(0, two.bytes.size() - 1)}});
}

void add_name_cases(Cases& cases) {
  int n = 0;
  const auto named = [&](const std::string& file, const std::string& says) {
    cases.add_text("sti_name_" + std::to_string(n++), 2, "tensor \"a\": the file name " + says,
                   index_of({{"a", file}}));
  };
  for (const char* path : {"../x.safetensors", "/etc/x.safetensors", "sub/x.safetensors", "./x.safetensors",
                           "x.safetensors/", "..\\\\x.safetensors"}) {
    const std::string shown = path;
    named(path, "\"" + shown + "\" has a path in it; allowed are names of files beside the index");
  }
  for (const char* other : {"..", ".", "x.bin", ".safetensors", "config.json"}) {
    named(other, std::string("\"") + other + "\" does not end in .safetensors");
  }
  named("", "is empty");
  named("x\\u0000.safetensors", "\"x\\x00.safetensors\" contains a control character");
  named(std::string(250, 'x') + ".safetensors", "\"xxxx");
}

void add_text_cases(Cases& cases) {
  const std::string invalid = "the index is not valid JSON";
  cases.add_text("sti_empty", 2, invalid + ": it ends too early", "");
  cases.add_text("sti_not_json", 2, invalid, "weight_map: {}");
  cases.add_text("sti_unclosed", 2, invalid + ": it ends too early", R"({"weight_map":{"a":"x.safetensors")");
  cases.add_text("sti_bom", 2, "byte 0: the index has the byte 0xEF outside a string",
                 "\xEF\xBB\xBF" + index_of({{"a", "x.safetensors"}}));
  cases.add_text("sti_array", 2, "byte 0: the index is an array; an object is required", "[]");
  cases.add_text("sti_number", 2, "the index is the number 7; an object is required", "7");
  cases.add_text("sti_no_map", 2, "the index lacks \"weight_map\"", R"({"metadata":{}})");
  cases.add_text("sti_empty_map", 2, "\"weight_map\" names no file", R"({"weight_map":{}})");
  cases.add_text("sti_map_array", 2, "\"weight_map\" is an array; an object is required",
                 R"({"weight_map":[]})");
  cases.add_text("sti_map_null", 2, "\"weight_map\" is null; an object is required",
                 R"({"weight_map":null})");
  cases.add_text("sti_map_twice", 2, "\"weight_map\" appears twice", R"({"weight_map":{},"weight_map":{}})");
  cases.add_text("sti_file_number", 2, "tensor \"a\" has the number 1 as its file; a file name is required",
                 R"({"weight_map":{"a":1}})");
  cases.add_text("sti_file_object", 2, "tensor \"a\" has an object as its file",
                 R"({"weight_map":{"a":{}}})");
  cases.add_text("sti_tensor_twice", 2, "tensor \"a\" appears twice in \"weight_map\"",
                 index_of({{"a", "x.safetensors"}, {"b", "x.safetensors"}, {"a", "y.safetensors"}}));
  cases.add_text("sti_deep", 2, "the index nests deeper than 64 levels",
                 "{\"metadata\":" + std::string(100'000, '['));
  std::string words = "{\"metadata\":[true";
  for (int i = 0; i < 1'000'000; ++i) words += ",true";
  cases.add_text("sti_words", 2, "the index has more than 65536 values beside \"weight_map\"", words + "]}");
  Rows files;
  for (int i = 0; i <= 1024; ++i) files.push_back({std::to_string(i), std::to_string(i) + ".safetensors"});
  cases.add_text("sti_files_above_limit", 2, "the index names more than 1024 files", index_of(files));
  Rows tensors;
  for (int i = 0; i <= 131072; ++i) tensors.push_back({std::to_string(i), "x.safetensors"});
  cases.add_text("sti_tensors_above_limit", 2, "\"weight_map\" has more than 131072 tensors",
                 index_of(tensors));
}

}  // namespace

std::vector<Case> safetensors_index_cases() {
  Cases cases;
  add_set_cases(cases);
  add_name_cases(cases);
  add_text_cases(cases);
  return cases.take();
}

}  // namespace kelda::malform

#include <string>
#include <utility>

#include "malform/cases.h"
#include "malform/safetensors_builder.h"

namespace kelda::malform {
namespace {

constexpr Stage kAt = Stage::kContainer;

void add(std::vector<Case>& cases, std::string name, int exit_status, std::string message, std::string bytes,
         uint64_t file_bytes = 0) {
  Case c{std::move(name), kAt, exit_status, std::move(message), std::move(bytes), file_bytes, {}, {}};
  c.file = c.name + ".safetensors";
  cases.push_back(std::move(c));
}

// A file whose header is `header`, with data_bytes of data.
void add_header(std::vector<Case>& cases, std::string name, int exit_status, std::string message,
                std::string_view header, std::size_t data_bytes = 0) {
  add(cases, std::move(name), exit_status, std::move(message),
      safetensors_of(header, std::string(data_bytes, 'd')));
}

void add_length_cases(std::vector<Case>& cases) {
  const std::string whole = small_safetensors().bytes();
  const auto claimed = [&](uint64_t length) { return raw(length) + whole.substr(8); };
  const auto left = std::to_string(whole.size() - 8);
  add(cases, "st_empty", 2, "byte 0: is not a safetensors file: it has 0 bytes", "");
  add(cases, "st_seven_bytes", 2, "byte 7: is not a safetensors file: it has 7 bytes", whole.substr(0, 7));
  add(cases, "st_length_only", 2, "but only 0 bytes are left in the file", whole.substr(0, 8));
  add(cases, "st_length_0", 2, "byte 0: the header's length is 0; at least 2", claimed(0));
  add(cases, "st_length_1", 2, "byte 0: the header's length is 1; at least 2", claimed(1));
  add(cases, "st_length_8", 2, "byte 9: the header ends inside a string", claimed(8));
  add(cases, "st_length_too_short", 2, "the header is not valid JSON: it ends too early", claimed(30));
  add(cases, "st_length_beyond_file", 2,
      "byte 0: the header's length is " + std::to_string(whole.size() - 7) + ", but only " + left,
      claimed(whole.size() - 7));
  add(cases, "st_length_above_limit", 2,
      "byte 0: the header's length is 100000001; at most 100000000 are allowed", claimed(100'000'001),
      120'000'000);
  for (const int bits : {31, 32, 62, 63}) {
    add(cases, "st_length_2_" + std::to_string(bits), 2,
        "byte 0: the header's length is " + std::to_string(uint64_t{1} << bits) + "; at most 100000000",
        claimed(uint64_t{1} << bits));
  }
  add(cases, "st_length_max", 2, "the header's length is 18446744073709551615", claimed(~uint64_t{0}));
  add(cases, "st_is_gguf", 2, "it starts as a GGUF file", std::string("GGUF\x03\0\0\0\0\0\0\0", 12));
  add(cases, "st_is_zip", 2, "it starts as a zip archive", "PK\x03\x04 and more bytes");
  add(cases, "st_lfs_pointer", 2, "Git LFS pointer", "version https://git-lfs.github.com/spec/v1\n");
}

void add_json_cases(std::vector<Case>& cases) {
  const std::string row = header_row("a", "U8", "1", "0,1");
  const std::string invalid = "the header is not valid JSON";
  add_header(cases, "st_is_fine", 0, "", "{" + row + "}", 1);
  add_header(cases, "st_no_tensors_is_fine", 0, "", "{}");
  add_header(cases, "st_padded_is_fine", 0, "", "{" + row + "}     ", 1);
  add_header(cases, "st_spaced_is_fine", 0, "",
             "{ \"a\" :\n{\t\"shape\" : [ 1 ] , \"data_offsets\":[0 ,1],\"dtype\":\"U8\" } }\r\n", 1);
  add_header(cases, "st_bom", 2, "byte 8: the header begins with \"\\xEF\", not with \"{\"",
             "\xEF\xBB\xBF{" + row + "}", 1);
  add_header(cases, "st_blank_first", 2, "byte 8: the header begins with \" \"", " {" + row + "}", 1);
  add_header(cases, "st_array", 2, "byte 8: the header begins with \"[\"", "[]");
  add_header(cases, "st_text", 2, "byte 8: the header begins with \"\\\"\"", "\"a\"");
  add_header(cases, "st_nothing_but_blanks", 2, "byte 8: the header begins with \" \"", "        ");
  add_header(cases, "st_nul_at_end", 2, "has the byte 0x00 outside a string", std::string("{}\0\0", 4));
  add_header(cases, "st_nul_in_the_middle", 2, "byte 9: the header has the byte 0x00 outside a string",
             std::string("{\0}", 3));
  add_header(cases, "st_not_ascii_outside_text", 2, "byte 9: the header has the byte 0xC3", "{\xC3\xA4}");
  add_header(cases, "st_two_values", 2, invalid, "{" + row + "}{}", 1);
  add_header(cases, "st_comma_at_end", 2, invalid, "{" + row + ",}", 1);
  add_header(cases, "st_comment", 2, invalid, "{/* */" + row + "}", 1);
  add_header(cases, "st_single_quotes", 2, invalid, "{'a':1}");
  add_header(cases, "st_not_utf8", 2, invalid, std::string("{") + header_row("a\x80", "U8", "1", "0,1") + "}",
             1);
  add_header(cases, "st_lone_surrogate", 2, invalid,
             std::string("{") + header_row("\\ud800", "U8", "1", "0,1") + "}", 1);
  add_header(cases, "st_newline_in_text", 2, "byte 11: the header has a control character in a string",
             std::string("{") + header_row("a\n", "U8", "1", "0,1") + "}", 1);
  add_header(cases, "st_unclosed", 2, "it ends too early", "{" + row, 1);
  add_header(cases, "st_long_number", 2, "has a number or word of more than 64 bytes",
             std::string("{") + header_row("a", "U8", std::string(1'000'000, '1'), "0,1") + "}", 1);
  add_header(cases, "st_deep", 2, "tensor \"a\" is an array; an object is required",
             "{\"a\":" + std::string(100'000, '['));
}

void add_key_cases(std::vector<Case>& cases) {
  const std::string row = header_row("a", "U8", "1", "0,1");
  add_header(
      cases, "st_name_twice", 2, "tensor \"a\" appears twice",
      "{" + row + "," + header_row("b", "U8", "1", "1,2") + "," + header_row("a", "U8", "1", "2,3") + "}", 3);
  add_header(cases, "st_name_twice_by_escape", 2, "tensor \"a\" appears twice",
             "{" + row + "," + header_row("\\u0061", "U8", "1", "1,2") + "}", 2);
  add_header(cases, "st_name_empty", 2, "byte 9: the tensor name is empty",
             std::string("{") + header_row("", "U8", "1", "0,1") + "}", 1);
  add_header(cases, "st_name_control", 2, "contains a control character",
             std::string("{") + header_row("a\\u0000", "U8", "1", "0,1") + "}", 1);
  add_header(cases, "st_name_1025", 2, "is 1025 bytes long; at most 1024",
             std::string("{") + header_row(std::string(1025, 'n'), "U8", "1", "0,1") + "}", 1);
  add_header(cases, "st_name_1024_is_fine", 0, "",
             std::string("{") + header_row(std::string(1024, 'n'), "U8", "1", "0,1") + "}", 1);
  const std::string says = "tensor \"a\" ";
  add_header(cases, "st_tensor_null", 2, says + "is null; an object is required", "{\"a\":null}");
  add_header(cases, "st_tensor_number", 2, says + "is the number 1; an object is required", "{\"a\":1}");
  add_header(cases, "st_tensor_text", 2, says + "is text; an object is required", "{\"a\":\"b\"}");
  add_header(cases, "st_tensor_empty", 2, says + "lacks \"dtype\"", "{\"a\":{}}");
  add_header(cases, "st_no_shape", 2, says + "lacks \"shape\"",
             "{\"a\":{\"dtype\":\"U8\",\"data_offsets\":[0,1]}}", 1);
  add_header(cases, "st_no_offsets", 2, says + "lacks \"data_offsets\"",
             "{\"a\":{\"dtype\":\"U8\",\"shape\":[1]}}", 1);
  add_header(cases, "st_dtype_twice", 2, says + "has \"dtype\" twice",
             "{\"a\":{\"dtype\":\"U8\",\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}", 1);
  add_header(cases, "st_unknown_field", 2, says + "has a field \"strides\"; allowed are",
             "{\"a\":{\"dtype\":\"U8\",\"strides\":[1],\"shape\":[1],\"data_offsets\":[0,1]}}", 1);
  for (const char* bad : {"X8", "f32", "", "F32 ", "FLOAT"}) {
    add_header(cases, "st_dtype_" + std::to_string(cases.size()), 2,
               says + "is of dtype \"" + bad + "\"; the format defines BOOL, F4,",
               std::string("{") + header_row("a", bad, "1", "0,1") + "}", 1);
  }
  add_header(cases, "st_dtype_number", 2, says + "has the number 3 as its \"dtype\"; text is required",
             "{\"a\":{\"dtype\":3}}");
}

void add_metadata_cases(std::vector<Case>& cases) {
  const auto with = [](std::string_view value) { return "{\"__metadata__\":" + std::string(value) + "}"; };
  add_header(cases, "st_metadata_is_fine", 0, "", with(R"({"format":"pt","":"\n"})"));
  add_header(cases, "st_metadata_text", 2, "\"__metadata__\" is text; an object of strings", with("\"a\""));
  add_header(cases, "st_metadata_null", 2, "\"__metadata__\" is null; an object of strings", with("null"));
  const std::string says = "\"k\" of \"__metadata__\" is ";
  add_header(cases, "st_metadata_number", 2, says + "the number 1; text is required", with("{\"k\":1}"));
  add_header(cases, "st_metadata_object", 2, says + "an object; text is required", with("{\"k\":{}}"));
  add_header(cases, "st_metadata_array", 2, says + "an array; text is required", with("{\"k\":[\"a\"]}"));
  add_header(cases, "st_metadata_bool", 2, says + "true; text is required", with("{\"k\":true}"));
  add_header(cases, "st_metadata_key_twice", 2, "\"k\" appears twice in \"__metadata__\"",
             with(R"({"k":"1","k":"2"})"));
  add_header(cases, "st_metadata_twice", 2, "\"__metadata__\" appears twice",
             R"({"__metadata__":{},"__metadata__":{}})");
}

void add_shape_cases(std::vector<Case>& cases) {
  const auto shape = [&](std::string name, std::string message, std::string_view dims) {
    add_header(cases, "st_shape_" + name, 2, "tensor \"a\" " + message,
               std::string("{") + header_row("a", "U8", dims, "0,1") + "}", 1);
  };
  shape("negative", "has a negative number in its \"shape\"; whole numbers", "-1");
  shape("minus_zero", "has a negative number in its \"shape\"; whole numbers", "-0");
  shape("float", "has the number 1.0 in its \"shape\"; whole numbers", "1.0");
  shape("exponent", "has the number 1e0 in its \"shape\"; whole numbers", "1e0");
  shape("text", "has text in its \"shape\"; whole numbers", "\"1\"");
  shape("null", "has null in its \"shape\"; whole numbers", "null");
  shape("array", "has an array in its \"shape\"; whole numbers", "[1]");
  shape("2_63", "has the number 9223372036854775808 in its \"shape\"", "9223372036854775808");
  shape("2_64", "has the number 18446744073709551616 in its \"shape\"", "18446744073709551616");
  shape("product_2_63", "has dimensions whose product does not fit in 63 bits", "4294967296,2147483648");
  // 2^62 + 1 times 4 wraps to 4.
  shape("product_wraps", "has dimensions whose product does not fit in 63 bits", "4611686018427387905,4");
  shape("product_with_zero", "has dimensions whose product does not fit in 63 bits",
        "4294967296,4294967296,0");
  shape("17_dims", "has more than 16 dimensions", "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1");
  shape("larger", "of dtype U8 and shape [2] has 2 bytes, but offsets 0 to 1, which are 1", "2");
  shape("empty_but_bytes", "of dtype U8 and shape [0] has 0 bytes, but offsets 0 to 1", "0");
  add_header(cases, "st_shape_bits_overflow", 2, "has a size in bits that does not fit in 64 bits",
             std::string("{") + header_row("a", "F64", "4611686018427387904", "0,1") + "}", 1);
  add_header(cases, "st_shape_number", 2, "has the number 1 as its \"shape\"; an array is required",
             "{\"a\":{\"dtype\":\"U8\",\"shape\":1,\"data_offsets\":[0,1]}}", 1);
  add_header(cases, "st_number_overflow", 2, "has a number beyond the range of a 64-bit float",
             std::string("{") + header_row("a", "U8", "1e999", "0,1") + "}", 1);
  add_header(cases, "st_half_a_byte", 2, "has 3 numbers of 4 bits, which do not fill whole bytes",
             std::string("{") + header_row("a", "F4", "3", "0,1") + "}", 1);
  add_header(cases, "st_half_bytes_are_fine", 0, "",
             std::string("{") + header_row("a", "F4", "2", "0,1") + "}", 1);
  add_header(cases, "st_six_bits_are_fine", 0, "",
             std::string("{") + header_row("a", "F6_E2M3", "4", "0,3") + "}", 3);
  add_header(cases, "st_empty_tensor_is_fine", 0, "",
             std::string("{") + header_row("a", "F4", "3,0", "0,0") + "}");
  add_header(cases, "st_scalar_is_fine", 0, "", std::string("{") + header_row("a", "F64", "", "0,8") + "}",
             8);
}

void add_place_cases(std::vector<Case>& cases) {
  const auto place = [&](std::string name, int exit_status, std::string message, std::string_view a,
                         std::string_view b, std::size_t data_bytes) {
    add_header(cases, "st_offsets_" + name, exit_status, std::move(message),
               std::string("{") + header_row("a", "U8", "4", a) + "," + header_row("b", "U8", "4", b) + "}",
               data_bytes);
  };
  place("other_order_is_fine", 0, "", "4,8", "0,4", 8);
  place("reversed", 2, "tensor \"a\" ends at offset 0, before it begins at 4", "4,0", "4,8", 8);
  place("overlapping", 2, "tensor \"b\" starts at offset 2, inside tensor \"a\"", "0,4", "2,6", 6);
  place("equal", 2, "starts at offset 0, inside tensor", "0,4", "0,4", 4);
  place("gapped", 2, "1 bytes before tensor \"b\" belong to no tensor", "0,4", "5,9", 9);
  place("gap_first", 2, "1 bytes before tensor \"a\" belong to no tensor", "1,5", "5,9", 9);
  place("past_end", 2, "tensor \"b\" ends at offset 8 of the data, which has 7 bytes", "0,4", "4,8", 7);
  place("2_63", 2, "ends at offset 9223372036854775812 of the data", "0,4",
        "9223372036854775808,9223372036854775812", 8);
  place("wrap", 2, "before it begins at 18446744073709551615", "0,4", "18446744073709551615,3", 8);
  place("trailing", 2, "the last 1 bytes of the file belong to no tensor", "0,4", "4,8", 9);
  place("negative", 2, "has a negative number in its \"data_offsets\"", "-4,0", "0,4", 4);
  place("float", 2, "has the number 4.0 in its \"data_offsets\"", "0,4.0", "4,8", 8);
  place("one", 2, "tensor \"a\" has 1 \"data_offsets\"; 2 are required", "0", "4,8", 8);
  place("none", 2, "tensor \"a\" has 0 \"data_offsets\"; 2 are required", "", "4,8", 8);
  place("three", 2, "tensor \"a\" has more than 2 \"data_offsets\"", "0,4,4", "4,8", 8);
  add_header(
      cases, "st_empty_inside_another", 2, "tensor \"b\" starts at offset 2, inside tensor \"a\"",
      std::string("{") + header_row("a", "U8", "4", "0,4") + "," + header_row("b", "U8", "0", "2,2") + "}",
      4);
  add_header(cases, "st_trailing_without_tensors", 2, "the last 4 bytes of the file belong to no tensor",
             "{}", 4);
  add_header(cases, "st_offsets_object", 2, "has an object as its \"data_offsets\"; an array is required",
             "{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":{}}}", 1);
}

// Faults that a reader might only see when it has filled the memory.
void add_large_cases(std::vector<Case>& cases) {
  const uint64_t header_bytes = 90'000'000;
  const auto large = [&](std::string name, std::string message, std::string_view start) {
    add(cases, "st_large_" + name, 2, std::move(message), raw(header_bytes) + std::string(start),
        8 + header_bytes);
  };
  large("zeros", "byte 8: the header begins with \"\\x00\"", "");
  large("zeros_after_start", "has the byte 0x00 outside a string", "{\"a\":");
  const std::string blanks(10'000'000, ' ');
  add_header(cases, "st_large_blanks_unclosed", 2, "it ends too early", "{" + blanks);
  add_header(cases, "st_large_blanks_are_fine", 0, "", "{" + blanks + "}");
  const std::string most(4 << 20, 'm');
  add_header(cases, "st_large_text", 2, "has a string of more than 4194304 bytes",
             "{\"__metadata__\":{\"k\":\"" + most + most + "\"}}");
  add_header(cases, "st_large_text_bad_at_end", 2, "the header is not valid JSON",
             "{\"__metadata__\":{\"k\":\"" + most.substr(3) + "\\z\"}}");
  std::string many = "{";
  for (int i = 0; i <= 131072; ++i) {
    many += header_row(std::to_string(i), "U8", "0", "0,0") + (i < 131072 ? "," : "}");
  }
  add_header(cases, "st_tensors_above_limit", 2, "the header has more than 131072 tensors", many);
  std::string keys = "{\"__metadata__\":{";
  for (int i = 0; i <= 65536; ++i) {
    keys.append("\"").append(std::to_string(i)).append(i < 65536 ? "\":\"\"," : "\":\"\"}}");
  }
  add_header(cases, "st_metadata_above_limit", 2, "\"__metadata__\" has more than 65536 keys", keys);
}

}  // namespace

std::vector<Case> safetensors_cases() {
  std::vector<Case> cases;
  add_length_cases(cases);
  add_json_cases(cases);
  add_key_cases(cases);
  add_metadata_cases(cases);
  add_shape_cases(cases);
  add_place_cases(cases);
  add_large_cases(cases);
  return cases;
}

}  // namespace kelda::malform

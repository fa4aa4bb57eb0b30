// What a safetensors header must satisfy beyond being well-formed: dtypes, sizes, and each byte of the data
// in exactly one tensor.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "files/safetensors.h"

namespace kelda::safetensors {

// The bits of one number of a dtype ("F6_E2M3": 6); nullopt if the format does not define it.
std::optional<uint32_t> dtype_bits(std::string_view dtype);
// "BOOL, F4, …": all that the format defines.
std::string known_dtypes();

// Sets tensor.bytes from its shape and dtype, which must be known; every product checked, dimensions of 0
// counted as 1 there, so that no other order of multiplying can overflow. Returns what is wrong with the
// shape, in words that follow the tensor's name, or nullopt.
std::optional<std::string> set_tensor_bytes(StoredTensor& tensor);

// Throws kBadInput unless names are distinct and the tensors, their offsets counted from data_begin, fill the
// rest of the file without gap or overlap. name_at: where each tensor's name is in the file.
void check_tensors(const File& file, uint64_t data_begin, const std::vector<StoredTensor>& tensors,
                   std::span<const uint32_t> name_at);

}  // namespace kelda::safetensors

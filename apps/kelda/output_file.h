// Files that a command writes, and what they must not be.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>

namespace kelda::cli {

// Throws kUsage if `output` is a file that is read: one of `inputs` ('-' is stdin), the model, a part of it
// or a file of its folder, by whatever path or link. flag: what names the output, for the message.
void refuse_to_overwrite(std::string_view flag, const std::string& output, const std::filesystem::path& model,
                         std::initializer_list<std::string> inputs = {});

// Throws kIo where a file of that name could not be made, before work is put into what it is to hold.
void require_writable(const std::string& output);

}  // namespace kelda::cli

// Models that other tools have put on this machine, where they put them by their own documentation. Read
// only: nothing is ever written there.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kelda::hub {

// The cache of Hugging Face's tools: $HF_HUB_CACHE, $HF_HOME/hub or ~/.cache/huggingface/hub. A repository is
// a folder "models--organisation--name" with refs/REVISION, which names the snapshot folder of a commit.
//   The snapshot of `repo` ("organisation/name"); nothing if that revision is not there.
std::optional<std::filesystem::path> cached_snapshot(std::string_view repo, std::string_view revision);

// What a folder is meant to be when it is named as a model: of a repository's folder in that cache its main
// snapshot, of any other itself; and where it holds one GGUF file (or one split set) and no config.json, that
// file. Throws kUsage for a folder with several GGUF files, naming them.
std::filesystem::path model_in_folder(const std::filesystem::path& folder);

struct OtherModel {
  std::string tool;  // "Hugging Face", "LM Studio", "Ollama", "llama.cpp"
  std::string name;  // as that tool calls it
  std::filesystem::path path;
};
// By tool and name. What cannot be read is passed over: it is somebody else's.
std::vector<OtherModel> models_of_other_tools();

}  // namespace kelda::hub

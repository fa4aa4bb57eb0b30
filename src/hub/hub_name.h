// Names of files on a model hub: "hub:organisation/repository/file", the file perhaps in folders; and of
// whole repositories: "hub:organisation/repository".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kelda::hub {

struct HubName {
  std::string repo;       // "organisation/repository"
  std::string file = {};  // "model-Q4_0.gguf", "onnx/model.onnx"; empty for the repository
  std::string revision = "main";
};

// Nothing unless `model` begins with "hub:"; throws kUsage, saying what is allowed, if the rest is not such a
// name, has a part that begins with a dot, or names a file of a kind that no model has.
std::optional<HubName> parse_hub_name(std::string_view model);

// The files that `name` stands for: itself, or all parts of the split set (x-00002-of-00003.gguf) that it is
// named as one of, in their order.
std::vector<HubName> files_of(const HubName& name);

// Where the hub serves it: HF_ENDPOINT if set, else https://huggingface.co.
std::string hub_endpoint();
std::string hub_url(const HubName& name);

// HF_TOKEN, or empty. Only ever sent to hub_endpoint().
std::string hub_token();

// One part of a path: 1 to 128 letters, digits and . _ + -, not made of dots alone, not beginning with -.
bool is_safe_part(std::string_view part);
// Such parts joined by '/': cannot leave the folder it is joined to.
bool is_safe_path(std::string_view path);

}  // namespace kelda::hub

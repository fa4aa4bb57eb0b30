#include "apps/kelda/calc/subject.h"

#include <algorithm>
#include <cmath>

#include "apps/kelda/option_values.h"
#include "base/error.h"
#include "calc/weight_sizes.h"
#include "engine/model_text.h"
#include "models/family.h"

namespace kelda::cli {
namespace {

constexpr double kMostParameters = 1e15;

void add_integer(CLI::App& app, SubjectArguments& a, const char* name, std::optional<int64_t>& to,
                 const char* help, int64_t most) {
  auto* option = app.add_option(name, to, help)->group("A stated shape");
  allow_integers(*option, 1, most);
  a.shape_options.push_back(option);
}

void add_number(CLI::App& app, SubjectArguments& a, const char* name, std::optional<double>& to,
                const std::string& help, double most) {
  auto* option = app.add_option(name, to, help)->group("A stated shape");
  allow_numbers(*option, 0, most);
  a.shape_options.push_back(option);
}

void add_shape_option(CLI::App& app, SubjectArguments& a, ShapeOption option, std::string_view what_bytes) {
  constexpr int64_t kMost = 1'000'000'000;
  switch (option) {
    case ShapeOption::kLayers:
      return add_integer(app, a, "--layers", a.layers, "Layers", 100'000);
    case ShapeOption::kWidth:
      return add_integer(app, a, "--width", a.width, "Numbers in the vector of a token", kMost);
    case ShapeOption::kHeads:
      return add_integer(app, a, "--heads", a.heads, "Query heads of a layer", 1'000'000);
    case ShapeOption::kKvHeads:
      return add_integer(app, a, "--kv-heads", a.kv_heads,
                         "KV heads of a layer, where they are fewer: a divisor of --heads", 1'000'000);
    case ShapeOption::kHeadDim:
      return add_integer(app, a, "--head-dim", a.head_dim,
                         "Numbers in a head, where they are not --width / --heads", 1'000'000);
    case ShapeOption::kFfn:
      return add_integer(app, a, "--ffn", a.ffn, "Width inside the gated feed-forward block", kMost);
    case ShapeOption::kVocab:
      return add_integer(app, a, "--vocab", a.vocab, "Tokens of the vocabulary", kMost);
    case ShapeOption::kWindow:
      return add_integer(app, a, "--window", a.window, "Keys back that each layer sees, where it is not all",
                         kMost);
    case ShapeOption::kParameters:
      return add_number(app, a, "--params", a.parameters, "Parameters: 7e9", kMostParameters);
    case ShapeOption::kBytes:
      return add_number(app, a, "--bytes", a.bytes,
                        fmt::format("Bytes of {}, a multiple of 1/16; 2 unless given", what_bytes), 16);
    case ShapeOption::kKvBytes:
      return add_number(app, a, "--kv-bytes", a.kv_bytes,
                        "Bytes of a number in the KV cache, a multiple of 1/16; 2 unless given", 16);
  }
}

calc::Storage storage(const std::optional<double>& bytes, const char* option) {
  const double sixteenths = bytes.value_or(2) * 16;
  if (sixteenths != std::floor(sixteenths)) {
    fail(ErrorCode::kUsage, "{}: must be a multiple of 1/16 (half a bit) in (0, 16]; got {}", option, *bytes);
  }
  return calc::storage_of(static_cast<int64_t>(sixteenths));
}

// The heads of a stated shape; without --heads, the width is one head.
void state_heads(const SubjectArguments& a, ModelConfig& c) {
  if (a.kv_heads && !a.heads) fail(ErrorCode::kUsage, "--kv-heads goes with --heads, which it divides");
  c.n_heads = a.heads.value_or(1);
  c.n_kv_heads = a.kv_heads.value_or(c.n_heads);
  if (c.n_heads % c.n_kv_heads != 0) {
    fail(ErrorCode::kUsage, "--kv-heads: must divide --heads, {}; got {}", c.n_heads, c.n_kv_heads);
  }
  if (a.head_dim && !a.heads) fail(ErrorCode::kUsage, "--head-dim goes with --heads");
  if (a.head_dim) {
    c.head_dim = *a.head_dim;
  } else if (a.width) {
    if (*a.width % c.n_heads != 0) {
      fail(ErrorCode::kUsage,
           "--width: must be a multiple of --heads, {}, unless --head-dim is given; got {}", c.n_heads,
           *a.width);
    }
    c.head_dim = *a.width / c.n_heads;
  }
}

int64_t stated_parameters(const SubjectArguments& a, const ModelConfig& c) {
  if (a.parameters) {
    if (a.ffn || a.vocab)
      fail(ErrorCode::kUsage, "--params is what --ffn and --vocab are there to compute: give one of the two");
    if (*a.parameters != std::floor(*a.parameters))
      fail(ErrorCode::kUsage, "--params: must be a whole number; got {}", *a.parameters);
    return static_cast<int64_t>(*a.parameters);
  }
  if (!a.ffn && !a.vocab) return 0;
  if (!a.ffn || !a.vocab || !a.layers || !a.width)
    fail(ErrorCode::kUsage, "counting parameters takes --layers, --width, --ffn and --vocab");
  return calc::decoder_parameters(c);
}

Subject stated(const SubjectArguments& a) {
  Subject s;
  ModelConfig& c = s.config;
  c.n_layers = a.layers.value_or(0);
  c.hidden_size = a.width.value_or(0);
  c.intermediate_size = a.ffn.value_or(0);
  c.vocab_size = a.vocab.value_or(0);
  if (a.heads || a.width || a.kv_heads || a.head_dim) state_heads(a, c);
  c.windows.assign(static_cast<std::size_t>(c.n_layers), a.window.value_or(0));
  s.weight_storage = storage(a.bytes, "--bytes");
  s.kv_storage = storage(a.kv_bytes, "--kv-bytes");
  s.n_parameters = stated_parameters(a, c);
  return s;
}

Subject of_model(const SubjectArguments& a, bool decoder) {
  Subject s;
  s.file = open_model(hub::resolve(a.model).path);
  s.head = read_head(*s.file);
  if (decoder && s.head.family->role() != models::Role::kDecoder) {
    fail(ErrorCode::kUnsupported,
         "{}: architecture {} is an encoder: it writes no text and keeps no KV cache",
         s.file->path().string(), s.head.family->name);
  }
  s.config = s.head.config;
  for (const TensorInfo& t : s.file->tensors()) s.n_parameters += t.n_elements();
  return s;
}

}  // namespace

void add_subject(CLI::App& app, SubjectArguments& a, const std::vector<ShapeOption>& options,
                 std::string_view what_bytes) {
  name_models(
      *app.add_option("model", a.model, "Path, catalogue name or hub:org/repo/file; or state a shape"));
  for (const ShapeOption option : options) add_shape_option(app, a, option, what_bytes);
  app.add_flag("--json", a.json, "Print JSON");
}

void add_measuring(CLI::App& app, SubjectArguments& a, const std::string& what) {
  app.add_flag("--measure", a.measure, what);
  allow_integers(
      *app.add_option("--threads,-t", a.threads, "Threads; 0 uses the processors that this process may use"),
      0, 1024);
}

KvShape Subject::kv_shape() const {
  if (is_model()) return models::kv_shape(config, KvType::kF16);
  return {KvType::kF16, config.n_kv_heads, config.head_dim, config.windows};
}

Subject subject_of(const SubjectArguments& a, bool decoder) {
  std::string given;
  for (const CLI::Option* option : a.shape_options) {
    if (option->count() > 0) given += (given.empty() ? "" : ", ") + option->get_name();
  }
  if (!a.model.empty() && !given.empty()) {
    fail(ErrorCode::kUsage, "{} and {} both say what the network is like: give a model or a shape, not both",
         a.model, given);
  }
  if (!a.model.empty()) return of_model(a, decoder);
  std::string names;
  for (const CLI::Option* option : a.shape_options) names += (names.empty() ? "" : " ") + option->get_name();
  if (given.empty() && !a.stands_alone)
    fail(ErrorCode::kUsage, "give a model, or state a shape with some of {}", names);
  if (a.measure)
    fail(ErrorCode::kUsage, "--measure takes a model: there is nothing to run of a stated shape");
  return stated(a);
}

void require_kv_shape(const Subject& s) {
  if (s.is_model()) return;
  if (s.config.n_layers == 0)
    fail(ErrorCode::kUsage, "--layers is needed: every layer keeps keys and values");
  if (s.config.head_dim == 0) {
    fail(ErrorCode::kUsage, "--width is needed, or --heads with --head-dim: they say how wide keys are");
  }
}

void tell_sizes(const Subject& s, Report& report) {
  const ModelConfig& c = s.config;
  if (s.is_model()) report.given("/model", "model", words_of(s.file->path().string()));
  const auto tell = [&](const char* key, const char* label, int64_t n) {
    if (n > 0) report.given(key, label, count_of(static_cast<uint64_t>(n)));
  };
  tell("/layers", "layers", c.n_layers);
  tell("/width", "width", c.hidden_size);
  tell("/heads", "query heads", c.n_heads);
  tell("/kv_heads", "KV heads", c.n_kv_heads);
  tell("/head_dim", "head width", c.head_dim);
  tell("/parameters", "parameters", s.n_parameters);
}

ModelArguments measuring_arguments(const SubjectArguments& a) {
  return {.model = a.model, .threads = a.threads};
}

std::vector<int64_t> parse_lengths(const std::string& list, std::string_view option, int64_t most) {
  std::vector<int64_t> lengths;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    const int64_t n = parse_integer(std::string_view(list).substr(at, end - at), option);
    if (n < 1 || n > most) fail(ErrorCode::kUsage, "{}: must be in [1, {}]; got {}", option, most, n);
    lengths.push_back(n);
    at = end + 1;
  }
  return lengths;
}

void require_within(int64_t window, int64_t length, std::string_view option) {
  if (length > window)
    fail(ErrorCode::kContextLength, "{}: {} tokens, and the model's window is {}", option, length, window);
}

}  // namespace kelda::cli

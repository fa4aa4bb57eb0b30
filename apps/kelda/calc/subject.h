// What a calculation is about: a model, as every command takes one, or a shape that is stated with options.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/kelda/calc/report.h"
#include "apps/kelda/session.h"
#include "calc/storage.h"
#include "engine/model.h"
#include "files/model_file.h"

namespace kelda::cli {

// As given on the command line; a calculator offers those that it uses.
struct SubjectArguments {
  std::string model;
  std::optional<int64_t> layers, width, heads, kv_heads, head_dim, ffn, vocab, window;
  std::optional<double> parameters, bytes, kv_bytes;
  int threads = 0;
  bool json = false, measure = false;
  bool stands_alone = false;                      // the calculator needs neither a model nor a shape
  std::vector<const CLI::Option*> shape_options;  // those that describe a network
};

enum class ShapeOption {
  kLayers,
  kWidth,
  kHeads,
  kKvHeads,
  kHeadDim,
  kFfn,
  kVocab,
  kWindow,
  kParameters,
  kBytes,
  kKvBytes
};

// MODEL, --json and the options asked for. what_bytes: what --bytes counts the bytes of.
void add_subject(CLI::App& app, SubjectArguments& a, const std::vector<ShapeOption>& options,
                 std::string_view what_bytes = "");
// --measure and --threads. what: for the help.
void add_measuring(CLI::App& app, SubjectArguments& a, const std::string& what);

struct Subject {
  // Of a model:
  std::unique_ptr<ModelFile> file;  // null for a stated shape
  ModelHead head;
  // Sizes; those that were not stated are 0.
  ModelConfig config;
  int64_t n_parameters = 0;
  calc::Storage weight_storage, kv_storage;  // of a stated shape

  bool is_model() const { return file != nullptr; }
  KvShape kv_shape() const;  // f16, of a model or of a stated shape with layers and heads
};

// Opens the model, or takes the shape. Throws kUsage for none or both, for heads that are not divisible, for
// what does not fit in 64 bits; for a model what read_head() throws, and kUnsupported for an encoder where
// `decoder` is asked for.
Subject subject_of(const SubjectArguments& a, bool decoder);

// Throws kUsage naming the options that the calculator cannot do without, where the shape was stated and the
// cache's sizes are not known.
void require_kv_shape(const Subject& s);

// Rows of what is given: the sizes that are known.
void tell_sizes(const Subject& s, Report& report);

// Of the session that a measurement runs on.
ModelArguments measuring_arguments(const SubjectArguments& a);

// "64,256": whole numbers in [1, most]. Throws kUsage naming `option`.
std::vector<int64_t> parse_lengths(const std::string& list, std::string_view option, int64_t most);

// Throws kContextLength, naming `option`, for a length beyond the window.
void require_within(int64_t window, int64_t length, std::string_view option);

}  // namespace kelda::cli

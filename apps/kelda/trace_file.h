// --trace: what commands that answer a prompt leave behind so that it can be replayed.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "apps/kelda/asking.h"
#include "apps/kelda/generation.h"
#include "apps/kelda/session.h"
#include "engine/trace.h"

namespace kelda::cli {

void add_trace_option(CLI::App& app, std::string& file);

// Before a model is loaded: throws kUsage where the file is one that is read, kIo where it cannot be made.
// flag: what names it.
void check_output(std::string_view flag, const std::string& file, const Asking& asking);

// How many candidates a request has to report for a trace; −1 where there is to be none.
int64_t trace_candidates(const std::string& file, const Model& model);

// Which model it is that lies there; reads samples of its file.
Trace::Model identify(const std::string& name, const std::filesystem::path& path);

// Writes the trace of an answer, whole or not at all; nothing for an empty name.
void write_trace(const std::string& file, const Asking& asking, Session& session,
                 const std::vector<TokenId>& prompt, const Answer& answer);

}  // namespace kelda::cli

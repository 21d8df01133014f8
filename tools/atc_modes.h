// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>

#include "base/files/atomic_file.h"
#include "convert/atc/options.h"

// What atc does besides converting a model: one function for each --mode, and --singleop.
namespace belay::atc {

// A folder that is missing is made, and said.
Status write_file(const std::filesystem::path& path, const Pieces& content);
Status write_text(const std::filesystem::path& path, const std::string& text);

Status show_json(const convert::AtcOptions& options);        // --mode=1
Status check_model(const convert::AtcOptions& options);      // --mode=3
Status show_text_graph(const convert::AtcOptions& options);  // --mode=5
Status show_info(const std::filesystem::path& om);           // --mode=6
Status convert_single_ops(const convert::AtcOptions& options);

// check_result.json: whether the model can be converted and, if not, why.
Status write_check_report(const convert::AtcOptions& options, const Status& status);

}  // namespace belay::atc

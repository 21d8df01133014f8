// SPDX-License-Identifier: Apache-2.0
#include "replay/capsule.h"

#include "base/files/atomic_file.h"
#include "base/files/file.h"
#include "base/text.h"
#include "graph/om/om.h"
#include "inspect/npy_tensor.h"
#include "inspect/output_file.h"

namespace belay::replay {

extern const std::string_view program_cpp, program_py;

namespace {

using graph::Constant;

std::string dims_of(const graph::Shape& shape) {
  std::string text;
  for (const int64_t extent : shape) text += (text.empty() ? "" : ",") + std::to_string(extent);
  return text.empty() ? "-" : text;
}

class Writer {
 public:
  explicit Writer(const std::filesystem::path& folder) : folder_(folder) {}

  Status tensor(const std::string& kind, size_t index, const Constant& value) {
    const std::string stem = formatted("{}_{}", kind, index);
    TRY(write_file((folder_ / (stem + ".bin")).string(), value.bytes));
    inspect::DumpedTensor seen;
    seen.type = value.type;
    seen.shape = value.shape;
    seen.bytes = value.bytes;
    if (!inspect::numpy_name(value.type).empty()) {
      auto file = TRY(inspect::OutputFile::create(folder_, stem + ".npy"));
      TRY(inspect::write_npy(seen, file));
      TRY(file.finish());
    }
    line(kind, index, value.type, value.shape, stem + ".bin");
    return {};
  }
  void line(const std::string& kind, size_t index, graph::DataType type, const graph::Shape& shape,
            const std::string& file) {
    const std::string name = type == graph::DataType::BFloat16 ? "bfloat16" : inspect::numpy_name(type);
    lines_ += formatted("{} {} {} {} {}\n", kind, index, name, dims_of(shape), file);
  }
  Status text(const char* name, std::string_view content) { return write_file((folder_ / name).string(), content); }
  Status finish() { return text("tensors.txt", lines_); }

 private:
  const std::filesystem::path folder_;
  std::string lines_;
};

Constant constant_of(graph::DataType type, const graph::Shape& shape, std::span<const std::byte> bytes) {
  return {type, shape, graph::Format::ND, bytes, nullptr};
}

std::string listed(const Operator& op) {
  std::string text;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    const Input& input = op.inputs[i];
    if (!input.present) continue;
    text += formatted("| input {} | {} | {} | {} |\n", i, graph::name_of(input.value.type),
                      graph::to_text(input.value.shape), input.constant ? "in single.om" : "given");
  }
  for (size_t i = 0; i < op.dumped.size(); ++i)
    if (!op.dumped[i].bytes.empty())
      text += formatted("| output {} | {} | {} | dumped |\n", i, graph::name_of(op.dumped[i].type),
                        graph::to_text(op.dumped[i].shape));
  return text;
}

std::string readme(const Operator& op, bool expected, const Result<std::string>& onnx, const CapsuleText& text) {
  std::string made = formatted("# {} {}\n\n{}\n\n| tensor | type | shape | |\n|---|---|---|---|\n{}\n", op.node.type,
                               op.node.name, text.origin, listed(op));
  made +=
      "Run it, with the environment of AscendCL set:\n\n```\n"
      "g++ -std=c++11 -O1 replay.cpp -I\"$ASCEND_HOME_PATH/include\" -L\"$ASCEND_HOME_PATH/lib64\" -lascendcl -o "
      "replay\n"
      "./replay\npython3 replay.py\n```\n\n";
  made += expected ? "Both compare with `dumped_*` (bit by bit) and with `expected_*`, which is the operator in double "
                     "precision; "
                     "`allowed_*` is how far each element may be from it. They end with 0 when all are within it, 1 "
                     "when not.\n\n"
                   : "Both compare with `dumped_*` bit by bit, and end with 0 when all bits are equal, 1 when not.\n\n";
  made += "`single.om` is for Belay: an NPU has a compiler of its own.";
  if (onnx.ok())
    made +=
        " `single.onnx` has the same operator for it:\n\n```\n"
        "atc --model=single.onnx --framework=5 --output=npu --soc_version=<yours> "
        "--precision_mode=must_keep_origin_dtype\n"
        "./replay npu.om\npython3 replay.py npu.om\n```\n\n";
  else
    made += formatted(" There is no `single.onnx`: {}.\n\n", onnx.status().message);
  made += formatted(
      "`tensors.txt` lists the files: kind, index, type, dimensions, bytes.\n\nMade by\n\n```\n{}\n```\n\nwith\n\n"
      "```\n{}```\n",
      text.command, text.versions);
  return made;
}

}  // namespace

Status write_capsule(const std::filesystem::path& folder, const Operator& op,
                     const std::vector<exact::Output>& expected, const Result<std::string>& onnx,
                     const CapsuleText& text) {
  const graph::Model model = TRY(as_model(op));
  const auto image = TRY(graph::write_om(model));
  if (!make_directories(folder.string())) return write_failure(folder.string(), errno);
  Writer writer(folder);
  TRY(write_file((folder / "single.om").string(), image));
  const auto given = given_inputs(op);
  for (size_t i = 0; i < given.size(); ++i) TRY(writer.tensor("input", i, given[i]));
  const auto& outputs = model.main().nodes[static_cast<size_t>(model.main().find(op.node.name))].outputs;
  for (size_t i = 0; i < op.dumped.size(); ++i) {
    const bool dumped = !op.dumped[i].bytes.empty();
    writer.line("output", i, dumped ? op.dumped[i].type : outputs[i].type,
                dumped ? op.dumped[i].shape : outputs[i].shape, "-");
    if (dumped) TRY(writer.tensor("dumped", i, op.dumped[i]));
  }
  for (size_t i = 0; i < expected.size(); ++i) {
    const exact::Value& value = expected[i].value;
    TRY(writer.tensor("expected", i, constant_of(value.type, value.shape, *value.bytes)));
    if (!expected[i].allowed.empty())
      TRY(writer.tensor(
          "allowed", i,
          constant_of(graph::DataType::Double, value.shape, std::as_bytes(std::span(expected[i].allowed)))));
  }
  TRY(writer.text("replay.cpp", program_cpp));
  TRY(writer.text("replay.py", program_py));
  if (onnx.ok()) TRY(writer.text("single.onnx", *onnx));
  TRY(writer.text("README.md", readme(op, !expected.empty(), onnx, text)));
  return writer.finish();
}

}  // namespace belay::replay

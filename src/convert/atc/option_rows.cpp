// SPDX-License-Identifier: Apache-2.0
#include "convert/atc/option_rows.h"

#include <algorithm>

namespace belay::convert {
namespace {

using Kind = AtcOptionRow::Kind;

// In the order of --help: what every conversion needs first.
constexpr AtcOptionRow kRows[] = {
    {"model", "required", "The ONNX file to convert."},
    {"framework", "required", "The kind of the model file; 5 is ONNX, the only one supported."},
    {"output", "required",
     "Path and name of the .om, without its suffix; its folder is made. A folder with --singleop."},
    {"soc_version", "required", "The SoC the model is for, such as Ascend910B3; written into the file."},
    {"mode", "0",
     "0 converts, 1 writes a model as JSON, 3 only checks, 5 turns ge_proto*.txt into JSON, 6 describes an .om."},
    {"input_shape", "the model's",
     "Shapes of inputs: name:1,3,224,224;other:1,-1,8~64. -1 and ranges make it dynamic."},
    {"input_shape_range", "none", "The older form of ranges: name:[1~8,3,-1]."},
    {"input_format", "NCHW", "The layout of the inputs: NCHW, NCDHW or ND."},
    {"dynamic_batch_size", "none", "Batch gears, such as 1,2,4,8; needs -1 as the first dimension."},
    {"dynamic_image_size", "none", "Image gears, height,width each: 224,224;448,448."},
    {"dynamic_dims", "none", "Gears with a value for each -1 of --input_shape: 1,64;8,128. Needs --input_format=ND."},
    {"out_nodes", "the model's outputs", "What to give out: node:index;node:index, or names of tensors."},
    {"output_type", "the model's types", "The type of all outputs, such as FP16; or node:index:FP16 with --out_nodes."},
    {"precision_mode", "must_keep_origin_dtype",
     "Types to compute in: force_fp16, force_fp32, cube_fp16in_fp32out, allow_fp32_to_fp16, allow_fp32_to_bf16, "
     "allow_mix_precision, allow_mix_precision_bf16, must_keep_origin_dtype."},
    {"precision_mode_v2", "none",
     "The same under newer names: fp16, origin, cube_fp16in_fp32out, mixed_float16, mixed_bfloat16. Excludes "
     "--precision_mode."},
    {"keep_dtype", "none", "A file of operators that keep their types: a name or OpType::TYPE in each line."},
    {"modify_mixlist", "none",
     "A JSON file that moves types of operators between black-list and white-list of mixed precision."},
    {"customize_dtypes", "none",
     "A file with the types of single operators: NAME::InputDtype:float16,OutputDtype:float16 or OpType::TYPE:..."
     " in each line."},
    {"input_fp16_nodes", "none", "Inputs that the program gives as float16: name;other."},
    {"insert_op_conf", "none", "A file that describes preprocessing of images (AIPP)."},
    {"fusion_switch_file", "all on", "A file that switches fusion passes off: lines of PassName:off, or JSON."},
    {"external_weight", "0", "1 writes each weight to a file of its own, 2 all to one file beside the .om."},
    {"enable_attr_compression", "true", "false writes attribute names in full."},
    {"display_model_info", "0", "1 describes the .om after the conversion, as --mode=6 does."},
    {"check_report", "check_result.json", "Where the report goes when a model cannot be converted, and of --mode=3."},
    {"singleop", "none", "A JSON list of single operators to convert instead of a model."},
    {"om", "none", "The file that --mode=1, 5 and 6 read."},
    {"json", "none", "The file that --mode=1 and 5 write."},
    {"dump_mode", "0", "1, with --mode=1 and --framework=5, shows the graph after import, with shapes."},

    {"log", "null", "Level of the log.", Kind::WithoutEffect},
    {"weight", "none", "Weights of a Caffe model.", Kind::WithoutEffect},
    {"disable_reuse_memory", "0", "Keeps tensors apart in memory.", Kind::WithoutEffect},
    {"buffer_optimize", "l2_optimize", "Where the device buffers data.", Kind::WithoutEffect},
    {"enable_small_channel", "0", "For convolutions of few channels.", Kind::WithoutEffect},
    {"enable_single_stream", "false", "One stream for the whole model.", Kind::WithoutEffect},
    {"op_select_implmode", "none", "High precision or high performance.", Kind::WithoutEffect},
    {"optypelist_for_implmode", "none", "Operators for --op_select_implmode.", Kind::WithoutEffect},
    {"op_precision_mode", "none", "A file with the precision of operators.", Kind::WithoutEffect},
    {"auto_tune_mode", "none", "Tunes operators on the device.", Kind::WithoutEffect},
    {"op_debug_level", "0", "What the device's compiler leaves for debugging.", Kind::WithoutEffect},
    {"debug_dir", "none", "Folder of what --op_debug_level leaves.", Kind::WithoutEffect},
    {"op_compiler_cache_mode", "none", "Cache of compiled operators.", Kind::WithoutEffect},
    {"op_compiler_cache_dir", "none", "Folder of that cache.", Kind::WithoutEffect},
    {"mdl_bank_path", "none", "Tuned subgraphs.", Kind::WithoutEffect},
    {"op_bank_path", "none", "Tuned operators.", Kind::WithoutEffect},
    {"core_type", "AiCore", "AiCore or VectorCore.", Kind::WithoutEffect},
    {"aicore_num", "all", "Cores to use on the device.", Kind::WithoutEffect},
    {"virtual_type", "0", "Virtual devices.", Kind::WithoutEffect},
    {"deterministic", "0", "The same result each time; it always is here.", Kind::WithoutEffect},
    {"deterministic_level", "0", "How strictly.", Kind::WithoutEffect},
    {"jit_compile", "none", "Compiles operators when they run.", Kind::WithoutEffect},
    {"host_env_os", "linux", "The system of the host.", Kind::WithoutEffect},
    {"host_env_cpu", "this machine's", "The processor of the host.", Kind::WithoutEffect},
    {"oo_level", "none", "Level of optimisation.", Kind::WithoutEffect},
    {"optimization_switch", "none", "Switches single optimisations.", Kind::WithoutEffect},
    {"raw_ge_options", "none", "Options for the graph compiler.", Kind::WithoutEffect},
    {"compression_optimize_conf", "none", "Compression of the model.", Kind::WithoutEffect},
    {"sparsity", "0", "Sparse weights.", Kind::WithoutEffect},
    {"status_check", "0", "Checks of the device while it runs.", Kind::WithoutEffect},
    {"atomic_clean_policy", "0", "When the device clears memory.", Kind::WithoutEffect},
    {"op_name_map", "none", "Names of custom operators.", Kind::WithoutEffect},
    {"cal_conf", "none", "Calibration for quantisation.", Kind::WithoutEffect},
    {"enable_scope_fusion_passes", "none", "Fusions of TensorFlow models.", Kind::WithoutEffect},
    {"save_original_model", "false", "Keeps the model before conversion.", Kind::WithoutEffect},
    {"quant_dumpable", "0", "Dumps of quantised operators.", Kind::WithoutEffect},

    {"is_input_adjust_hw_layout", "none", "Inputs in NC1HWC0.", Kind::Refused},
    {"is_output_adjust_hw_layout", "none", "Outputs in NC1HWC0.", Kind::Refused},
};

}  // namespace

std::span<const AtcOptionRow> atc_option_rows() { return kRows; }

const AtcOptionRow* find_atc_option(std::string_view name) {
  const auto* found = std::ranges::find(kRows, name, &AtcOptionRow::name);
  return found == std::end(kRows) ? nullptr : found;
}

}  // namespace belay::convert

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <protozero/types.hpp>

// Field numbers of the header's messages.
namespace belay::dump::field {

enum class Dump : protozero::pbf_tag_type {
  version = 1,
  dump_time = 2,
  output = 3,
  input = 4,
  buffer = 5,
  op_name = 6,
  attr = 7,
  space = 8,
  dfx_message = 9
};
enum class Output : protozero::pbf_tag_type {
  data_type = 1,
  format = 2,
  shape = 3,
  original_op = 4,
  data = 5,
  size = 6,
  original_shape = 7,
  sub_format = 8,
  address = 9,
  dim_range = 10,
  offset = 11,
  arg_index = 12
};
enum class Input : protozero::pbf_tag_type {
  data_type = 1,
  format = 2,
  shape = 3,
  data = 4,
  size = 5,
  original_shape = 6,
  sub_format = 7,
  address = 8,
  offset = 9,
  arg_index = 10,
  input_type = 11
};
// OpBuffer and Workspace; buffers have no arg_index.
enum class Space : protozero::pbf_tag_type { type = 1, data = 2, size = 3, arg_index = 4 };
enum class Attr : protozero::pbf_tag_type { name = 1, value = 2 };
enum class Shape : protozero::pbf_tag_type { dim = 1 };
enum class Original : protozero::pbf_tag_type { name = 1, output_index = 2, data_type = 3, format = 4 };
enum class DimRange : protozero::pbf_tag_type { dim_start = 1, dim_end = 2 };

}  // namespace belay::dump::field

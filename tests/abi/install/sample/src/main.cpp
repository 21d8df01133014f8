// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "acl/acl_op_compiler.h"
#include "acl/ops/acl_cblas.h"
#include "chip.h"

int main() {
  std::cout << chip() << std::endl;
  return 0;
}

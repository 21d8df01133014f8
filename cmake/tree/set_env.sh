# SPDX-License-Identifier: Apache-2.0
# Source this file: it points builds and programs at the tree it lies in. Safe under `set -euo pipefail`.
if [ -n "${BASH_SOURCE:-}" ]; then
  _belay_file="${BASH_SOURCE}"
elif [ -n "${ZSH_VERSION:-}" ]; then
  eval '_belay_file="${(%):-%x}"'
else
  _belay_file=
fi

if [ -z "${_belay_file}" ]; then
  echo "set_env.sh: source this file from bash or zsh" >&2
else
  _belay_root="$(dirname -- "$(readlink -f -- "${_belay_file}")")"

  # _belay_prepend VARIABLE DIRECTORY: once, however often this file is sourced.
  _belay_prepend() {
    eval "set -- \"\$1\" \"\$2\" \"\${$1:-}\""
    case ":$3:" in
      *":$2:"*) ;;
      *) export "$1=$2${3:+:$3}" ;;
    esac
  }

  export ASCEND_HOME_PATH="${_belay_root}"
  export ASCEND_TOOLKIT_HOME="${_belay_root}"
  export ASCEND_INSTALL_PATH="${_belay_root}"
  export ASCEND_AICPU_PATH="${_belay_root}"
  export ASCEND_OPP_PATH="${_belay_root}/opp"
  export TOOLCHAIN_HOME="${_belay_root}"
  export ASCENDC_CMAKE_DIR="${_belay_root}/tikcpp/ascendc_kernel_cmake"
  export DDK_PATH="${_belay_root}"
  export NPU_HOST_LIB="${_belay_root}/runtime/lib64/stub"
  export SOC_VERSION="${SOC_VERSION:-${BELAY_SOC_NAME:-Ascend910B3}}"
  _belay_prepend LD_LIBRARY_PATH "${_belay_root}/lib64"
  _belay_prepend PATH "${_belay_root}/bin"
  _belay_prepend PYTHONPATH "${_belay_root}/python/site-packages"
  _belay_prepend CMAKE_PREFIX_PATH "${_belay_root}/lib64/cmake"

  unset -f _belay_prepend
  unset _belay_root
fi
unset _belay_file

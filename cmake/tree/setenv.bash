# SPDX-License-Identifier: Apache-2.0
# The older name of set_env.sh; for bash.
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE}")")/../set_env.sh"

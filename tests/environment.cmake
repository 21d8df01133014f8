# SPDX-License-Identifier: Apache-2.0
# Read by ctest: what no test is to inherit from the user. Tests of the cache have one of their own.
set(ENV{BELAY_CACHE} off)

# SPDX-License-Identifier: Apache-2.0
# Made by python/table.py --stubs; not edited by hand.
from collections.abc import Callable
from typing import Any

def sys_init(*arguments: Any) -> int:
    """-> ret (hi_mpi_sys_init)"""

def sys_exit(*arguments: Any) -> int:
    """-> ret (hi_mpi_sys_exit)"""

def dvpp_malloc(*arguments: Any) -> int:
    """-> ret (hi_mpi_dvpp_malloc)"""

def dvpp_free(*arguments: Any) -> int:
    """-> ret (hi_mpi_dvpp_free)"""

def vpc_create_chn(*arguments: Any) -> int:
    """-> ret (hi_mpi_vpc_create_chn)"""

def vpc_destroy_chn(*arguments: Any) -> int:
    """-> ret (hi_mpi_vpc_destroy_chn)"""

def vdec_create_chn(*arguments: Any) -> int:
    """-> ret (hi_mpi_vdec_create_chn)"""

def vdec_destroy_chn(*arguments: Any) -> int:
    """-> ret (hi_mpi_vdec_destroy_chn)"""

def vdec_get_pic_buf_size(*arguments: Any) -> int:
    """-> ret (hi_mpi_vdec_get_pic_buf_size)"""

def venc_create_chn(*arguments: Any) -> int:
    """-> ret (hi_mpi_venc_create_chn)"""

def venc_destroy_chn(*arguments: Any) -> int:
    """-> ret (hi_mpi_venc_destroy_chn)"""

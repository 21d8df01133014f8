# SPDX-License-Identifier: Apache-2.0
# Made by python/table.py --stubs; not edited by hand.
from collections.abc import Callable
from typing import Any

def gemv_ex(trans_a: int, m: int, n: int, alpha: int, a: int, lda: int, data_type_a: int, x: int, incx: int, data_type_x: int, beta: int, y: int, incy: int, data_type_y: int, type: int, stream: int, /) -> int:
    """-> ret (aclblasGemvEx)"""

def create_handle_for_gemv_ex(trans_a: int, m: int, n: int, data_type_a: int, data_type_x: int, data_type_y: int, type: int, /) -> tuple[int, int]:
    """-> handle, ret (aclblasCreateHandleForGemvEx)"""

def hgemv(trans_a: int, m: int, n: int, alpha: int, a: int, lda: int, x: int, incx: int, beta: int, y: int, incy: int, type: int, stream: int, /) -> int:
    """-> ret (aclblasHgemv)"""

def create_handle_for_hgemv(trans_a: int, m: int, n: int, type: int, /) -> tuple[int, int]:
    """-> handle, ret (aclblasCreateHandleForHgemv)"""

def s8gemv(trans_a: int, m: int, n: int, alpha: int, a: int, lda: int, x: int, incx: int, beta: int, y: int, incy: int, type: int, stream: int, /) -> int:
    """-> ret (aclblasS8gemv)"""

def create_handle_for_s8gemv(trans_a: int, m: int, n: int, type: int, /) -> tuple[int, int]:
    """-> handle, ret (aclblasCreateHandleForS8gemv)"""

def gemm_ex(trans_a: int, trans_b: int, trans_c: int, m: int, n: int, k: int, alpha: int, matrix_a: int, lda: int, data_type_a: int, matrix_b: int, ldb: int, data_type_b: int, beta: int, matrix_c: int, ldc: int, data_type_c: int, type: int, stream: int, /) -> int:
    """-> ret (aclblasGemmEx)"""

def create_handle_for_gemm_ex(trans_a: int, trans_b: int, trans_c: int, m: int, n: int, k: int, data_type_a: int, data_type_b: int, data_type_c: int, type: int, /) -> tuple[int, int]:
    """-> handle, ret (aclblasCreateHandleForGemmEx)"""

def hgemm(trans_a: int, trans_b: int, trans_c: int, m: int, n: int, k: int, alpha: int, matrix_a: int, lda: int, matrix_b: int, ldb: int, beta: int, matrix_c: int, ldc: int, type: int, stream: int, /) -> int:
    """-> ret (aclblasHgemm)"""

def create_handle_for_hgemm(trans_a: int, trans_b: int, trans_c: int, m: int, n: int, k: int, type: int, /) -> tuple[int, int]:
    """-> handle, ret (aclblasCreateHandleForHgemm)"""

def s8gemm(trans_a: int, trans_b: int, trans_c: int, m: int, n: int, k: int, alpha: int, matrix_a: int, lda: int, matrix_b: int, ldb: int, beta: int, matrix_c: int, ldc: int, type: int, stream: int, /) -> int:
    """-> ret (aclblasS8gemm)"""

def create_handle_for_s8gemm(trans_a: int, trans_b: int, trans_c: int, m: int, n: int, k: int, type: int, /) -> tuple[int, int]:
    """-> handle, ret (aclblasCreateHandleForS8gemm)"""

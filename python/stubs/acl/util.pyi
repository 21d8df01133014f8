# SPDX-License-Identifier: Apache-2.0
# Made by python/table.py --stubs; not edited by hand.
from collections.abc import Callable
from typing import Any

def bytes_to_ptr(data: bytes, /) -> int:
    """-> ptr"""

def ptr_to_bytes(ptr: int, size: int, /) -> bytes:
    """-> data"""

def numpy_to_ptr(data: Any, /) -> int:
    """-> ptr"""

def numpy_contiguous_to_ptr(data_in: Any, /) -> tuple[int, Any]:
    """-> ptr, data_out"""

def ptr_to_numpy(ptr: int, shape: tuple[int, ...], type: int, /) -> Any:
    """-> output"""

def start_thread(thr_func: Callable[..., Any], args_list: Any, /) -> tuple[int, int]:
    """-> thr_id, ret"""

def stop_thread(thr_id: int, /) -> int:
    """-> ret"""

# SPDX-License-Identifier: Apache-2.0
# Made by python/table.py --stubs; not edited by hand.
from collections.abc import Callable
from typing import Any

def create_data_item(tdt_type: int, dims: list[int], data_type: int, data: int, size: int, /) -> int:
    """-> data_item (acltdtCreateDataItem)"""

def destroy_data_item(data_item: int, /) -> int:
    """-> ret (acltdtDestroyDataItem)"""

def create_dataset() -> int:
    """-> dataset (acltdtCreateDataset)"""

def destroy_dataset(dataset: int, /) -> int:
    """-> ret (acltdtDestroyDataset)"""

def add_data_item(dataset: int, data_item: int, /) -> int:
    """-> ret (acltdtAddDataItem)"""

def get_data_item(dataset: int, index: int, /) -> int:
    """-> data_item (acltdtGetDataItem)"""

def get_dataset_size(dataset: int, /) -> int:
    """-> size (acltdtGetDatasetSize)"""

def create_channel(device_id: int, name: str, /) -> int:
    """-> handle (acltdtCreateChannel)"""

def create_channel_with_capacity(device_id: int, name: str, capacity: int, /) -> int:
    """-> handle (acltdtCreateChannelWithCapacity)"""

def stop_channel(handle: int, /) -> int:
    """-> ret (acltdtStopChannel)"""

def destroy_channel(handle: int, /) -> int:
    """-> ret (acltdtDestroyChannel)"""

def send_tensor(handle: int, dataset: int, timeout: int, /) -> int:
    """-> ret (acltdtSendTensor)"""

def receive_tensor(handle: int, dataset: int, timeout: int, /) -> int:
    """-> ret (acltdtReceiveTensor)"""

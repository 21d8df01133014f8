// SPDX-License-Identifier: Apache-2.0
// Error codes of the graph engine.
#ifndef ACL_ERROR_CODES_GE_ERROR_CODES_H_
#define ACL_ERROR_CODES_GE_ERROR_CODES_H_

#include <stddef.h>
#include <stdint.h>

// Wrong use or environment.
static const uint32_t ACL_ERROR_GE_PARAM_INVALID = 145000U;                 // argument check failed in the graph engine
static const uint32_t ACL_ERROR_GE_EXEC_NOT_INIT = 145001U;                 // graph executor is not initialised
static const uint32_t ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID = 145002U;       // model path is not valid
static const uint32_t ACL_ERROR_GE_EXEC_MODEL_ID_INVALID = 145003U;         // model id is unknown
static const uint32_t ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID = 145006U;  // model data size is wrong
static const uint32_t ACL_ERROR_GE_EXEC_MODEL_ADDR_INVALID = 145007U;       // model memory address is not valid
// Queue id passed for the model is not valid.
static const uint32_t ACL_ERROR_GE_EXEC_MODEL_QUEUE_ID_INVALID = 145008U;
static const uint32_t ACL_ERROR_GE_EXEC_LOAD_MODEL_REPEATED = 145009U;  // model was initialised or loaded twice
// Address of the dynamic-gear input is not valid.
static const uint32_t ACL_ERROR_GE_DYNAMIC_INPUT_ADDR_INVALID = 145011U;
// Length of the dynamic-gear input is not valid.
static const uint32_t ACL_ERROR_GE_DYNAMIC_INPUT_LENGTH_INVALID = 145012U;
static const uint32_t ACL_ERROR_GE_DYNAMIC_BATCH_SIZE_INVALID = 145013U;  // batch size is not one of the model's gears
static const uint32_t ACL_ERROR_GE_AIPP_BATCH_EMPTY = 145014U;            // AIPP batch size is not valid
static const uint32_t ACL_ERROR_GE_AIPP_NOT_EXIST = 145015U;              // model has no AIPP settings
static const uint32_t ACL_ERROR_GE_AIPP_MODE_INVALID = 145016U;           // AIPP mode is not valid
static const uint32_t ACL_ERROR_GE_OP_TASK_TYPE_INVALID = 145017U;        // task type is not valid
static const uint32_t ACL_ERROR_GE_OP_KERNEL_TYPE_INVALID = 145018U;      // operator kernel type is not valid
// Plugin library path is wrong or the library is missing.
static const uint32_t ACL_ERROR_GE_PLGMGR_PATH_INVALID = 145019U;
static const uint32_t ACL_ERROR_GE_FORMAT_INVALID = 145020U;    // tensor format is not valid
static const uint32_t ACL_ERROR_GE_SHAPE_INVALID = 145021U;     // tensor shape is not valid
static const uint32_t ACL_ERROR_GE_DATATYPE_INVALID = 145022U;  // tensor data type is not valid

// Resources and abilities.
static const uint32_t ACL_ERROR_GE_MEMORY_ALLOCATION = 245000U;      // memory allocation failed in the graph engine
static const uint32_t ACL_ERROR_GE_MEMORY_OPERATE_FAILED = 245001U;  // memory set or copy failed
// Device memory could not be obtained or handled.
static const uint32_t ACL_ERROR_GE_DEVICE_MEMORY_OPERATE_FAILED = 245002U;

// State of the service.
static const uint32_t ACL_ERROR_GE_SUBHEALTHY = 345102U;  // service is running in degraded health after a redeploy
static const uint32_t ACL_ERROR_GE_USER_RAISE_EXCEPTION = 345103U;  // user-defined function raised an exception
static const uint32_t ACL_ERROR_GE_DATA_NOT_ALIGNED = 345104U;      // data of several outputs or inputs did not line up

// Internal errors.
static const uint32_t ACL_ERROR_GE_INTERNAL_ERROR = 545000U;  // unclassified internal graph-engine error
static const uint32_t ACL_ERROR_GE_LOAD_MODEL = 545001U;      // model loading failed inside the engine
// Model-definition partition could not be loaded.
static const uint32_t ACL_ERROR_GE_EXEC_LOAD_MODEL_PARTITION_FAILED = 545002U;
// Weight partition could not be loaded.
static const uint32_t ACL_ERROR_GE_EXEC_LOAD_WEIGHT_PARTITION_FAILED = 545003U;
static const uint32_t ACL_ERROR_GE_EXEC_LOAD_TASK_PARTITION_FAILED = 545004U;  // task partition could not be loaded
// Kernel partition could not be loaded.
static const uint32_t ACL_ERROR_GE_EXEC_LOAD_KERNEL_PARTITION_FAILED = 545005U;
static const uint32_t ACL_ERROR_GE_EXEC_RELEASE_MODEL_DATA = 545006U;  // model memory could not be released
static const uint32_t ACL_ERROR_GE_COMMAND_HANDLE = 545007U;           // engine command failed
static const uint32_t ACL_ERROR_GE_GET_TENSOR_INFO = 545008U;          // tensor information could not be obtained
static const uint32_t ACL_ERROR_GE_UNLOAD_MODEL = 545009U;             // model could not be unloaded
static const uint32_t ACL_ERROR_GE_MODEL_EXECUTE_TIMEOUT = 545601U;    // model execution timed out
static const uint32_t ACL_ERROR_GE_REDEPLOYING = 545602U;              // a redeploy is in progress

#endif  // ACL_ERROR_CODES_GE_ERROR_CODES_H_

// SPDX-License-Identifier: Apache-2.0
// Handles, data types, formats, error codes and data buffers.
#ifndef ACL_ACL_BASE_RT_H_
#define ACL_ACL_BASE_RT_H_

#include <stddef.h>
#include <stdint.h>

// Empty in user programs; the library is built with FUNC_VISIBILITY.
#ifdef FUNC_VISIBILITY
#define ACL_FUNC_VISIBILITY __attribute__((visibility("default")))
#else
#define ACL_FUNC_VISIBILITY
#endif

#if defined(__GNUC__) && __GNUC__ >= 6
#define ACL_DEPRECATED __attribute__((deprecated))
#define ACL_DEPRECATED_MESSAGE(message) __attribute__((deprecated(message)))
#elif defined(_MSC_VER)
#define ACL_DEPRECATED __declspec(deprecated)
#define ACL_DEPRECATED_MESSAGE(message) __declspec(deprecated(message))
#else
#define ACL_DEPRECATED
#define ACL_DEPRECATED_MESSAGE(message)
#endif

#ifdef __cplusplus
extern "C" {
#endif

// Handles and scalars.
typedef void* aclrtStream;
typedef void* aclmdlRITask;
typedef void* aclrtEvent;
typedef void* aclrtContext;
typedef void* aclrtNotify;
typedef void* aclrtCntNotify;
typedef void* aclrtLabel;
typedef void* aclrtLabelList;
typedef void* aclrtMbuf;
typedef int aclError;
typedef uint16_t aclFloat16;
typedef void* aclrtAllocatorDesc;
typedef void* aclrtAllocator;
typedef void* aclrtAllocatorBlock;
typedef void* aclrtAllocatorAddr;
typedef void* aclrtTaskGrp;
typedef struct aclDataBuffer aclDataBuffer;

// Success.
static const int ACL_ERROR_NONE = 0;  // deprecated: use ACL_SUCCESS
static const int ACL_SUCCESS = 0;     // call completed successfully

// Wrong use or environment.
static const int ACL_ERROR_INVALID_PARAM = 100000;  // an argument failed validation (null, out of range, inconsistent)
static const int ACL_ERROR_UNINITIALIZE = 100001;   // ACL, or the sub-feature being used, has not been initialised
static const int ACL_ERROR_REPEAT_INITIALIZE = 100002;  // initialisation or loading was requested a second time
static const int ACL_ERROR_INVALID_FILE = 100003;       // file is missing, unreadable or not usable
static const int ACL_ERROR_WRITE_FILE = 100004;         // writing a file failed
static const int ACL_ERROR_INVALID_FILE_SIZE = 100005;  // file size is outside what the call accepts
static const int ACL_ERROR_PARSE_FILE = 100006;  // file content could not be parsed (for instance malformed JSON)
static const int ACL_ERROR_FILE_MISSING_ATTR = 100007;         // a required attribute is absent from the file
static const int ACL_ERROR_FILE_ATTR_INVALID = 100008;         // an attribute in the file has an illegal value
static const int ACL_ERROR_INVALID_DUMP_CONFIG = 100009;       // dump configuration is not valid
static const int ACL_ERROR_INVALID_PROFILING_CONFIG = 100010;  // profiling configuration is not valid
static const int ACL_ERROR_INVALID_MODEL_ID = 100011;          // model id is unknown or not loaded
static const int ACL_ERROR_DESERIALIZE_MODEL = 100012;         // model could not be deserialised
static const int ACL_ERROR_PARSE_MODEL = 100013;               // model content could not be parsed
static const int ACL_ERROR_READ_MODEL_FAILURE = 100014;        // model file could not be read
static const int ACL_ERROR_MODEL_SIZE_INVALID = 100015;        // model size is wrong
static const int ACL_ERROR_MODEL_MISSING_ATTR = 100016;        // model lacks a required attribute
static const int ACL_ERROR_MODEL_INPUT_NOT_MATCH = 100017;     // supplied model inputs do not match the model
static const int ACL_ERROR_MODEL_OUTPUT_NOT_MATCH = 100018;    // supplied model outputs do not match the model
static const int ACL_ERROR_MODEL_NOT_DYNAMIC = 100019;         // a dynamic-shape operation was asked of a static model
static const int ACL_ERROR_OP_TYPE_NOT_MATCH = 100020;         // operator type differs from the expected one
static const int ACL_ERROR_OP_INPUT_NOT_MATCH = 100021;        // operator inputs do not match a registered operator
static const int ACL_ERROR_OP_OUTPUT_NOT_MATCH = 100022;       // operator outputs do not match a registered operator
static const int ACL_ERROR_OP_ATTR_NOT_MATCH = 100023;         // operator attributes do not match a registered operator
static const int ACL_ERROR_OP_NOT_FOUND = 100024;              // no such single operator is available
static const int ACL_ERROR_OP_LOAD_FAILED = 100025;            // a single-operator model failed to load
static const int ACL_ERROR_UNSUPPORTED_DATA_TYPE = 100026;     // data type is not supported
static const int ACL_ERROR_FORMAT_NOT_MATCH = 100027;          // tensor format is not the expected one
// Binary-selector compile mode used without a registered selector.
static const int ACL_ERROR_BIN_SELECTOR_NOT_REGISTERED = 100028;
static const int ACL_ERROR_KERNEL_NOT_FOUND = 100029;  // no kernel registered for the operator
// A binary selector for the operator already exists.
static const int ACL_ERROR_BIN_SELECTOR_ALREADY_REGISTERED = 100030;
static const int ACL_ERROR_KERNEL_ALREADY_REGISTERED = 100031;  // the kernel was registered before
static const int ACL_ERROR_INVALID_QUEUE_ID = 100032;           // queue id is not valid
static const int ACL_ERROR_REPEAT_SUBSCRIBE = 100033;           // the stream is already subscribed for callbacks
static const int ACL_ERROR_STREAM_NOT_SUBSCRIBE = 100034;       // deprecated: use ACL_ERROR_RT_STREAM_NO_CB_REG
static const int ACL_ERROR_THREAD_NOT_SUBSCRIBE = 100035;       // deprecated: use ACL_ERROR_RT_THREAD_SUBSCRIBE
static const int ACL_ERROR_WAIT_CALLBACK_TIMEOUT = 100036;      // deprecated: use ACL_ERROR_RT_REPORT_TIMEOUT
static const int ACL_ERROR_REPEAT_FINALIZE = 100037;  // de-initialisation was requested again after it had completed
static const int ACL_ERROR_NOT_STATIC_AIPP = 100038;  // deprecated: use ACL_ERROR_GE_AIPP_NOT_EXIST
// The process is running against the link-time stub libraries instead of the real ones.
static const int ACL_ERROR_COMPILING_STUB_MODE = 100039;
static const int ACL_ERROR_GROUP_NOT_SET = 100040;          // deprecated: use ACL_ERROR_RT_GROUP_NOT_SET
static const int ACL_ERROR_GROUP_NOT_CREATE = 100041;       // deprecated: use ACL_ERROR_RT_GROUP_NOT_CREATE
static const int ACL_ERROR_PROF_ALREADY_RUN = 100042;       // a profiling collection is already active
static const int ACL_ERROR_PROF_NOT_RUN = 100043;           // profiling has not been initialised with aclprofInit
static const int ACL_ERROR_DUMP_ALREADY_RUN = 100044;       // a dump task is already configured or active
static const int ACL_ERROR_DUMP_NOT_RUN = 100045;           // dump has not been initialised with aclmdlInitDump
static const int ACL_ERROR_PROF_REPEAT_SUBSCRIBE = 148046;  // the model is already subscribed for operator profiling
static const int ACL_ERROR_PROF_API_CONFLICT = 148047;      // two mutually exclusive profiling interfaces were mixed
static const int ACL_ERROR_INVALID_MAX_OPQUEUE_NUM_CONFIG = 148048;  // operator-cache ageing setting is not valid
static const int ACL_ERROR_INVALID_OPP_PATH = 148049;        // ASCEND_OPP_PATH is unset or points to a wrong place
static const int ACL_ERROR_OP_UNSUPPORTED_DYNAMIC = 148050;  // the operator cannot run with dynamic shapes
// A dependent resource (for instance a channel) still exists.
static const int ACL_ERROR_RELATIVE_RESOURCE_NOT_CLEARED = 148051;
static const int ACL_ERROR_UNSUPPORTED_JPEG = 148052;         // JPEG encoding variant cannot be decoded
static const int ACL_ERROR_INVALID_BUNDLE_MODEL_ID = 148053;  // bundle model id is unknown or not loaded

// Resources and abilities.
static const int ACL_ERROR_BAD_ALLOC = 200000;        // memory could not be allocated
static const int ACL_ERROR_API_NOT_SUPPORT = 200001;  // the interface is not available on this product or build
static const int ACL_ERROR_INVALID_DEVICE = 200002;   // deprecated: use ACL_ERROR_RT_INVALID_DEVICEID
static const int ACL_ERROR_MEMORY_ADDRESS_UNALIGNED = 200003;  // address does not meet the alignment rule
static const int ACL_ERROR_RESOURCE_NOT_MATCH = 200004;  // stream, context or other resource belongs somewhere else
static const int ACL_ERROR_INVALID_RESOURCE_HANDLE = 200005;   // resource handle is stale, destroyed or busy
static const int ACL_ERROR_FEATURE_UNSUPPORTED = 200006;       // the feature is not supported
static const int ACL_ERROR_PROF_MODULES_UNSUPPORTED = 200007;  // the requested profiling modules are not supported

// State of the service.
static const int ACL_ERROR_STORAGE_OVER_LIMIT = 300000;  // storage limit exceeded

// Internal errors.
// Unclassified internal error (every unrecognised failure maps here).
static const int ACL_ERROR_INTERNAL_ERROR = 500000;
static const int ACL_ERROR_FAILURE = 500001;            // internal failure inside ACL
static const int ACL_ERROR_GE_FAILURE = 500002;         // failure reported by the graph engine
static const int ACL_ERROR_RT_FAILURE = 500003;         // failure reported by the runtime
static const int ACL_ERROR_DRV_FAILURE = 500004;        // failure reported by the driver
static const int ACL_ERROR_PROFILING_FAILURE = 500005;  // failure reported by the profiling module

typedef enum {
  ACL_DT_UNDEFINED = -1,
  ACL_FLOAT = 0,
  ACL_FLOAT16 = 1,
  ACL_INT8 = 2,
  ACL_INT32 = 3,
  ACL_UINT8 = 4,
  ACL_INT16 = 6,
  ACL_UINT16 = 7,
  ACL_UINT32 = 8,
  ACL_INT64 = 9,
  ACL_UINT64 = 10,
  ACL_DOUBLE = 11,
  ACL_BOOL = 12,
  ACL_STRING = 13,
  ACL_COMPLEX64 = 16,
  ACL_COMPLEX128 = 17,
  ACL_BF16 = 27,
  ACL_INT4 = 29,
  ACL_UINT1 = 30,
  ACL_COMPLEX32 = 33,
  ACL_HIFLOAT8 = 34,
  ACL_FLOAT8_E5M2 = 35,
  ACL_FLOAT8_E4M3FN = 36,
  ACL_FLOAT8_E8M0 = 37,
  ACL_FLOAT6_E3M2 = 38,
  ACL_FLOAT6_E2M3 = 39,
  ACL_FLOAT4_E2M1 = 40,
  ACL_FLOAT4_E1M2 = 41
} aclDataType;

typedef enum {
  ACL_FORMAT_UNDEFINED = -1,
  ACL_FORMAT_NCHW = 0,
  ACL_FORMAT_NHWC = 1,
  ACL_FORMAT_ND = 2,
  ACL_FORMAT_NC1HWC0 = 3,
  ACL_FORMAT_FRACTAL_Z = 4,
  ACL_FORMAT_NC1HWC0_C04 = 12,
  ACL_FORMAT_HWCN = 16,
  ACL_FORMAT_NDHWC = 27,
  ACL_FORMAT_FRACTAL_NZ = 29,
  ACL_FORMAT_NCDHW = 30,
  ACL_FORMAT_NDC1HWC0 = 32,
  ACL_FRACTAL_Z_3D = 33,
  ACL_FORMAT_NC = 35,
  ACL_FORMAT_NCL = 47,
  ACL_FORMAT_FRACTAL_NZ_C0_16 = 50,
  ACL_FORMAT_FRACTAL_NZ_C0_32 = 51,
  ACL_FORMAT_FRACTAL_NZ_C0_2 = 52,
  ACL_FORMAT_FRACTAL_NZ_C0_4 = 53,
  ACL_FORMAT_FRACTAL_NZ_C0_8 = 54
} aclFormat;

typedef enum {
  ACL_DEBUG = 0,
  ACL_INFO = 1,
  ACL_WARNING = 2,
  ACL_ERROR = 3
} aclLogLevel;

typedef enum {
  ACL_MEMTYPE_DEVICE = 0,
  ACL_MEMTYPE_HOST = 1,
  ACL_MEMTYPE_HOST_COMPILE_INDEPENDENT = 2
} aclMemType;

typedef enum {
  ACL_OPT_DETERMINISTIC = 0,
  ACL_OPT_ENABLE_DEBUG_KERNEL = 1,
  ACL_OPT_STRONG_CONSISTENCY ACL_DEPRECATED_MESSAGE("ACL_OPT_STRONG_CONSISTENCY is deprecated") = 2,
  ACL_OPT_ENABLE_KERNEL_EARLY_START = 3
} aclSysParamOpt;

typedef enum {
  ACL_CANN_ATTR_UNDEFINED = -1,
  ACL_CANN_ATTR_INF_NAN = 0,
  ACL_CANN_ATTR_BF16 = 1,
  ACL_CANN_ATTR_JIT_COMPILE = 2
} aclCannAttr;

typedef enum {
  ACL_DEVICE_INFO_UNDEFINED = -1,
  ACL_DEVICE_INFO_AI_CORE_NUM = 0,
  ACL_DEVICE_INFO_VECTOR_CORE_NUM = 1,
  ACL_DEVICE_INFO_L2_SIZE = 2
} aclDeviceInfo;

// Errors, versions, timeouts, overflow and other services.
ACL_FUNC_VISIBILITY float aclFloat16ToFloat(aclFloat16 value);
ACL_FUNC_VISIBILITY aclFloat16 aclFloatToFloat16(float value);
ACL_FUNC_VISIBILITY void aclAppLog(aclLogLevel logLevel, const char* func, const char* file, uint32_t line,
                                   const char* fmt, ...);
ACL_FUNC_VISIBILITY aclError aclGetCannAttributeList(const aclCannAttr** cannAttrList, size_t* num);
ACL_FUNC_VISIBILITY aclError aclGetCannAttribute(aclCannAttr cannAttr, int32_t* value);

// Devices, their limits and abilities.
ACL_FUNC_VISIBILITY const char* aclrtGetSocName(void);
ACL_FUNC_VISIBILITY aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo, int64_t* value);

// Tensor descriptors and data types.
ACL_FUNC_VISIBILITY size_t aclDataTypeSize(aclDataType dataType);

// Data buffers and datasets: what a model reads and writes.
ACL_FUNC_VISIBILITY aclDataBuffer* aclCreateDataBuffer(void* data, size_t size);
ACL_FUNC_VISIBILITY aclError aclDestroyDataBuffer(const aclDataBuffer* dataBuffer);
ACL_FUNC_VISIBILITY aclError aclUpdateDataBuffer(aclDataBuffer* dataBuffer, void* data, size_t size);
ACL_FUNC_VISIBILITY void* aclGetDataBufferAddr(const aclDataBuffer* dataBuffer);
ACL_DEPRECATED_MESSAGE("use aclGetDataBufferSizeV2")
ACL_FUNC_VISIBILITY uint32_t aclGetDataBufferSize(const aclDataBuffer* dataBuffer);
ACL_FUNC_VISIBILITY size_t aclGetDataBufferSizeV2(const aclDataBuffer* dataBuffer);

#define ACL_APP_LOG(level, fmt, ...) aclAppLog(level, __FUNCTION__, __FILE__, __LINE__, fmt, ##__VA_ARGS__)

#ifdef __cplusplus
}
#endif

#endif  // ACL_ACL_BASE_RT_H_

// SPDX-License-Identifier: Apache-2.0
// Status codes of aclnn calls.
#ifndef OPDEV_OP_ERRNO_H_
#define OPDEV_OP_ERRNO_H_

// Success.
#define ACLNN_SUCCESS 0  // aclnn call completed successfully

// Wrong use or environment.
#define ACLNN_ERR_PARAM_NULLPTR 161001  // a required aclnn argument is null
#define ACLNN_ERR_PARAM_INVALID 161002  // an aclnn argument is not valid (type, shape, format, range)

// State of the service.
#define ACLNN_ERR_RUNTIME_ERROR 361001  // a runtime call made by the operator library failed

// Internal errors.
#define ACLNN_ERR_INNER 561000                              // unclassified internal operator-library error
#define ACLNN_ERR_INNER_INFERSHAPE_ERROR 561001             // shape inference failed
#define ACLNN_ERR_INNER_TILING_ERROR 561002                 // tiling computation failed
#define ACLNN_ERR_INNER_FIND_KERNEL_ERROR 561003            // no kernel binary found for the operator
#define ACLNN_ERR_INNER_CREATE_EXECUTOR 561101              // aclOpExecutor could not be created
#define ACLNN_ERR_INNER_NOT_TRANS_EXECUTOR 561102           // executor ownership was not handed to the caller
#define ACLNN_ERR_INNER_NULLPTR 561103                      // unexpected null pointer inside the operator library
#define ACLNN_ERR_INNER_WRONG_ATTR_INFO_SIZE 561104         // attribute description has the wrong size
#define ACLNN_ERR_INNER_KEY_CONFILICT 561105                // deprecated: use ACLNN_ERR_INNER_KEY_CONFLICT
#define ACLNN_ERR_INNER_KEY_CONFLICT 561105                 // kernel keys collide
#define ACLNN_ERR_INNER_INVALID_IMPL_MODE 561106            // implementation mode is not valid
#define ACLNN_ERR_INNER_OPP_PATH_NOT_FOUND 561107           // operator package path was not found
#define ACLNN_ERR_INNER_LOAD_JSON_FAILED 561108             // operator description JSON could not be loaded
#define ACLNN_ERR_INNER_JSON_VALUE_NOT_FOUND 561109         // operator description JSON lacks a key
#define ACLNN_ERR_INNER_JSON_FORMAT_INVALID 561110          // operator description JSON has a bad format field
#define ACLNN_ERR_INNER_JSON_DTYPE_INVALID 561111           // operator description JSON has a bad data type
#define ACLNN_ERR_INNER_OPP_KERNEL_PKG_NOT_FOUND 561112     // kernel package is not installed
#define ACLNN_ERR_INNER_OP_FILE_INVALID 561113              // operator file is not valid
#define ACLNN_ERR_INNER_ATTR_NUM_OUT_OF_BOUND 561114        // too many attributes
#define ACLNN_ERR_INNER_ATTR_LEN_NOT_ENOUGH 561115          // attribute storage is too short
#define ACLNN_ERR_INNER_INPUT_NUM_IN_JSON_TOO_LARGE 561116  // operator description lists too many inputs
#define ACLNN_ERR_INNER_INPUT_JSON_IS_NULL 561117           // operator description has no inputs section
#define ACLNN_ERR_INNER_STATIC_WORKSPACE_INVALID 561118     // static workspace information is not valid
#define ACLNN_ERR_INNER_STATIC_BLOCK_DIM_INVALID 561119     // static block dimension is not valid

#endif  // OPDEV_OP_ERRNO_H_

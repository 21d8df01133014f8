// SPDX-License-Identifier: Apache-2.0
// Error codes of the runtime.
#ifndef ACL_ERROR_CODES_RT_ERROR_CODES_H_
#define ACL_ERROR_CODES_RT_ERROR_CODES_H_

#include <stddef.h>
#include <stdint.h>

// Success.
#define ACL_RT_SUCCESS 0  // runtime-level success

// Wrong use or environment.
#define ACL_ERROR_RT_PARAM_INVALID 107000                // argument check failed in the runtime
#define ACL_ERROR_RT_INVALID_DEVICEID 107001             // device id is out of range
#define ACL_ERROR_RT_CONTEXT_NULL 107002                 // the calling thread has no current context
#define ACL_ERROR_RT_STREAM_CONTEXT 107003               // stream belongs to a context other than the current one
#define ACL_ERROR_RT_MODEL_CONTEXT 107004                // model belongs to a context other than the current one
#define ACL_ERROR_RT_STREAM_MODEL 107005                 // stream is not bound to the model
#define ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID 107006      // event holds no usable timestamp
#define ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL 107007     // event timestamps are in the wrong order
#define ACL_ERROR_RT_ADDR_UNALIGNED 107008               // memory address is misaligned
#define ACL_ERROR_RT_FILE_OPEN 107009                    // file could not be opened
#define ACL_ERROR_RT_FILE_WRITE 107010                   // file could not be written
#define ACL_ERROR_RT_STREAM_SUBSCRIBE 107011             // stream is not subscribed, or is subscribed twice
#define ACL_ERROR_RT_THREAD_SUBSCRIBE 107012             // thread is not subscribed, or is subscribed twice
#define ACL_ERROR_RT_GROUP_NOT_SET 107013                // no group has been selected
#define ACL_ERROR_RT_GROUP_NOT_CREATE 107014             // group does not exist
#define ACL_ERROR_RT_STREAM_NO_CB_REG 107015             // the callback's stream is not registered to any thread
#define ACL_ERROR_RT_INVALID_MEMORY_TYPE 107016          // memory type is not valid
#define ACL_ERROR_RT_INVALID_HANDLE 107017               // resource handle is not valid
#define ACL_ERROR_RT_INVALID_MALLOC_TYPE 107018          // allocation type is not valid
#define ACL_ERROR_RT_WAIT_TIMEOUT 107019                 // a wait timed out
#define ACL_ERROR_RT_TASK_TIMEOUT 107020                 // a task exceeded its time limit
#define ACL_ERROR_RT_SYSPARAMOPT_NOT_SET 107021          // the system parameter was never set for this context
#define ACL_ERROR_RT_DEVICE_TASK_ABORT 107022            // operation collides with a device-wide task abort
#define ACL_ERROR_RT_STREAM_ABORT 107023                 // the stream is being aborted
#define ACL_ERROR_RT_CAPTURE_DEPENDENCY 107024           // captured event wait has no matching captured record
#define ACL_ERROR_RT_STREAM_UNJOINED 107025              // a side stream was not joined back to the capture origin
#define ACL_ERROR_RT_MODEL_CAPTURED 107026               // the model is in capture state
#define ACL_ERROR_RT_STREAM_CAPTURED 107027              // the stream is in capture state
#define ACL_ERROR_RT_EVENT_CAPTURED 107028               // the event is in capture state
#define ACL_ERROR_RT_STREAM_NOT_CAPTURED 107029          // the stream is not being captured
#define ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT 107030     // the active capture mode forbids this operation
#define ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT 107031      // the default stream may not take part in a capture
#define ACL_ERROR_STREAM_CAPTURE_CONFLICT 107032         // event and stream belong to different captures
#define ACL_ERROR_STREAM_TASK_GROUP_STATUS 107033        // task-group begin/end/update called in the wrong state
#define ACL_ERROR_STREAM_TASK_GROUP_INTR 107034          // task-group recording was interrupted
#define ACL_ERROR_RT_TASK_ABORT_STOP 107035              // device task abort stopped before its post-processing
#define ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED 107036     // capture was not started on this stream
#define ACL_ERROR_RT_MODEL_RUNNING 107037                // model is still executing
#define ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD 107038  // capture must be ended by the thread that began it
#define ACL_ERROR_RT_INSUFFICIENT_INPUT_ARRAY 107039     // caller's array is too small for the result
#define ACL_ERROR_RT_MODEL_UPDATE_FAILED 107040          // model update was refused or failed
// An async call would have to block, which the capture mode forbids.
#define ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC 107041
#define ACL_ERROR_RT_SYMBOL_NOT_FOUND 107042           // device symbol was not found in the binary
#define ACL_ERROR_RT_INVALID_SYMBOL 107043             // symbol is not a declared device variable
#define ACL_ERROR_RT_INVALID_DEVICE_FUNCTION 107044    // symbol is not a declared device function
#define ACL_ERROR_RT_SUB_ACLGRAPH_IS_CAPTURING 107045  // a nested graph is still being captured

// Resources and abilities.
#define ACL_ERROR_RT_FEATURE_NOT_SUPPORT 207000            // feature is not supported
#define ACL_ERROR_RT_MEMORY_ALLOCATION 207001              // out of memory
#define ACL_ERROR_RT_MEMORY_FREE 207002                    // releasing memory failed
#define ACL_ERROR_RT_AICORE_OVER_FLOW 207003               // arithmetic overflow on an AI Core operator
#define ACL_ERROR_RT_NO_DEVICE 207004                      // no usable device
#define ACL_ERROR_RT_RESOURCE_ALLOC_FAIL 207005            // a runtime resource could not be allocated
#define ACL_ERROR_RT_NO_PERMISSION 207006                  // operation not permitted
#define ACL_ERROR_RT_NO_EVENT_RESOURCE 207007              // no event resources left
#define ACL_ERROR_RT_NO_STREAM_RESOURCE 207008             // no stream resources left
#define ACL_ERROR_RT_NO_NOTIFY_RESOURCE 207009             // no notify resources left
#define ACL_ERROR_RT_NO_MODEL_RESOURCE 207010              // no model resources left
#define ACL_ERROR_RT_NO_CDQ_RESOURCE 207011                // no internal CDQ resources left
#define ACL_ERROR_RT_OVER_LIMIT 207012                     // a count or size limit was exceeded
#define ACL_ERROR_RT_QUEUE_EMPTY 207013                    // queue holds no element
#define ACL_ERROR_RT_QUEUE_FULL 207014                     // queue has no free slot
#define ACL_ERROR_RT_REPEATED_INIT 207015                  // initialised twice
#define ACL_ERROR_RT_AIVEC_OVER_FLOW 207016                // arithmetic overflow on a vector-core operator
#define ACL_ERROR_RT_OVER_FLOW 207017                      // arithmetic overflow (generic)
#define ACL_ERROR_RT_DEVICE_OOM 207018                     // device reports out of memory
#define ACL_ERROR_RT_FEATURE_NOT_SUPPORT_UPDATE_OP 207019  // this operator cannot be updated in place
#define ACL_ERROR_RT_TIMEOUT 207020                        // driver call timed out
#define ACL_ERROR_RT_LINK_TYPE_NOT_SUPPORTED 207021        // requested link type is not supported

// Internal errors.
#define ACL_ERROR_RT_INTERNAL_ERROR 507000         // internal runtime error
#define ACL_ERROR_RT_TS_ERROR 507001               // internal error in the device task scheduler
#define ACL_ERROR_RT_STREAM_TASK_FULL 507002       // stream task queue is full
#define ACL_ERROR_RT_STREAM_TASK_EMPTY 507003      // stream task queue is empty
#define ACL_ERROR_RT_STREAM_NOT_COMPLETE 507004    // stream still has unfinished tasks
#define ACL_ERROR_RT_END_OF_SEQUENCE 507005        // AI CPU task sequence has ended
#define ACL_ERROR_RT_EVENT_NOT_COMPLETE 507006     // event has not completed
#define ACL_ERROR_RT_CONTEXT_RELEASE_ERROR 507007  // context could not be released
#define ACL_ERROR_RT_SOC_VERSION 507008            // SoC version could not be determined
#define ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT 507009  // task type is not supported
#define ACL_ERROR_RT_LOST_HEARTBEAT 507010         // task scheduler stopped answering
#define ACL_ERROR_RT_MODEL_EXECUTE 507011          // model execution failed on the device
#define ACL_ERROR_RT_REPORT_TIMEOUT 507012    // no report from the task scheduler in time (also callback wait timeout)
#define ACL_ERROR_RT_SYS_DMA 507013           // system DMA hardware error
#define ACL_ERROR_RT_AICORE_TIMEOUT 507014    // AI Core task timed out
#define ACL_ERROR_RT_AICORE_EXCEPTION 507015  // AI Core task raised an exception
#define ACL_ERROR_RT_AICORE_TRAP_EXCEPTION 507016            // AI Core task trapped
#define ACL_ERROR_RT_AICPU_TIMEOUT 507017                    // AI CPU task timed out
#define ACL_ERROR_RT_AICPU_EXCEPTION 507018                  // AI CPU task raised an exception
#define ACL_ERROR_RT_AICPU_DATADUMP_RSP_ERR 507019           // AI CPU sent no proper answer after a data dump
#define ACL_ERROR_RT_AICPU_MODEL_RSP_ERR 507020              // AI CPU sent no proper answer to a model operation
#define ACL_ERROR_RT_PROFILING_ERROR 507021                  // profiling failed in the runtime
#define ACL_ERROR_RT_IPC_ERROR 507022                        // inter-process communication failed
#define ACL_ERROR_RT_MODEL_ABORT_NORMAL 507023               // model was aborted in the normal way
#define ACL_ERROR_RT_KERNEL_UNREGISTERING 507024             // kernel is being unregistered
#define ACL_ERROR_RT_RINGBUFFER_NOT_INIT 507025              // ring buffer is not initialised
#define ACL_ERROR_RT_RINGBUFFER_NO_DATA 507026               // ring buffer holds no data
#define ACL_ERROR_RT_KERNEL_LOOKUP 507027                    // kernel is not registered in the runtime
#define ACL_ERROR_RT_KERNEL_DUPLICATE 507028                 // kernel was registered twice in the runtime
#define ACL_ERROR_RT_DEBUG_REGISTER_FAIL 507029              // debug registration failed
#define ACL_ERROR_RT_DEBUG_UNREGISTER_FAIL 507030            // debug deregistration failed
#define ACL_ERROR_RT_LABEL_CONTEXT 507031                    // label belongs to another context
#define ACL_ERROR_RT_PROGRAM_USE_OUT 507032                  // too many programs registered
#define ACL_ERROR_RT_DEV_SETUP_ERROR 507033                  // device failed to start
#define ACL_ERROR_RT_VECTOR_CORE_TIMEOUT 507034              // vector-core task timed out
#define ACL_ERROR_RT_VECTOR_CORE_EXCEPTION 507035            // vector-core task raised an exception
#define ACL_ERROR_RT_VECTOR_CORE_TRAP_EXCEPTION 507036       // vector-core task trapped
#define ACL_ERROR_RT_CDQ_BATCH_ABNORMAL 507037               // internal CDQ batch allocation went wrong
#define ACL_ERROR_RT_DIE_MODE_CHANGE_ERROR 507038            // die mode cannot be changed now
#define ACL_ERROR_RT_DIE_SET_ERROR 507039                    // a die may not be chosen in single-die mode
#define ACL_ERROR_RT_INVALID_DIEID 507040                    // die id is not valid
#define ACL_ERROR_RT_DIE_MODE_NOT_SET 507041                 // die mode has not been set
#define ACL_ERROR_RT_AICORE_TRAP_READ_OVERFLOW 507042        // AI Core out-of-range read trapped
#define ACL_ERROR_RT_AICORE_TRAP_WRITE_OVERFLOW 507043       // AI Core out-of-range write trapped
#define ACL_ERROR_RT_VECTOR_CORE_TRAP_READ_OVERFLOW 507044   // vector-core out-of-range read trapped
#define ACL_ERROR_RT_VECTOR_CORE_TRAP_WRITE_OVERFLOW 507045  // vector-core out-of-range write trapped
#define ACL_ERROR_RT_STREAM_SYNC_TIMEOUT 507046              // stream did not drain within the given time
#define ACL_ERROR_RT_EVENT_SYNC_TIMEOUT 507047               // event did not complete within the given time
#define ACL_ERROR_RT_FFTS_PLUS_TIMEOUT 507048                // internal (FFTS+) task timed out
#define ACL_ERROR_RT_FFTS_PLUS_EXCEPTION 507049              // internal (FFTS+) task raised an exception
#define ACL_ERROR_RT_FFTS_PLUS_TRAP_EXCEPTION 507050         // internal (FFTS+) task trapped
#define ACL_ERROR_RT_SEND_MSG 507051                         // sending a message during enqueue failed
#define ACL_ERROR_RT_COPY_DATA 507052                        // copying data during enqueue failed
#define ACL_ERROR_RT_DEVICE_MEM_ERROR 507053                 // uncorrectable device memory error
#define ACL_ERROR_RT_HBM_MULTI_BIT_ECC_ERROR 507054          // multi-bit ECC error in HBM
#define ACL_ERROR_RT_SUSPECT_DEVICE_MEM_ERROR 507055         // suspected uncorrectable memory error on a peer device
#define ACL_ERROR_RT_LINK_ERROR 507056                       // link between devices is broken
#define ACL_ERROR_RT_SUSPECT_REMOTE_ERROR 507057             // suspected peer memory fault or local out-of-range access
#define ACL_ERROR_RT_DRV_INTERNAL_ERROR 507899               // internal driver error
#define ACL_ERROR_RT_AICPU_INTERNAL_ERROR 507900             // internal AI CPU error
#define ACL_ERROR_RT_SOCKET_CLOSE 507901                     // host-device connection was closed
#define ACL_ERROR_RT_AICPU_INFO_LOAD_RSP_ERR 507902          // AI CPU scheduling request failed
#define ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED 507903       // the capture became invalid
#define ACL_ERROR_RT_COMM_OP_RETRY_FAIL 507904               // re-running a communication operator failed
#define ACL_ERROR_SNAPSHOT_LOCK_TIMEOUT 507905               // process snapshot lock timed out
#define ACL_ERROR_SNAPSHOT_LOCK_FAILED 507906                // process snapshot lock failed
#define ACL_ERROR_SNAPSHOT_UNLOCK_FAILED 507907              // process snapshot unlock failed
#define ACL_ERROR_SNAPSHOT_BACKUP_FAILED 507908              // process snapshot backup failed
#define ACL_ERROR_SNAPSHOT_RESTORE_FAILED 507909             // process snapshot restore failed
#define ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED 507910      // host range is registered already
#define ACL_ERROR_HOST_MEMORY_NOT_REGISTERED 507911          // host range was never registered
#define ACL_ERROR_SNAPSHOT_CALLBACK_FAILED 507912            // a snapshot stage callback returned failure
#define ACL_ERROR_SNAPSHOT_REGISTER_CALLBACK_FAILED 507913   // a snapshot callback could not be registered
#define ACL_ERROR_RT_L3_PORT_ERROR 507914                    // L3 port error
#define ACL_ERROR_RT_CCU_TIMEOUT 507915                      // CCU task timed out
#define ACL_ERROR_RT_CCU_EXCEPTION 507916                    // CCU task raised an exception

#endif  // ACL_ERROR_CODES_RT_ERROR_CODES_H_

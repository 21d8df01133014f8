// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream/notify.h"

#include <cstring>

#include "acl/acl_rt.h"
#include "api/core/entry.h"
#include "runtime/device/current.h"
#include "runtime/stream/count_notify.h"

using namespace belay;
using namespace belay::api;

namespace {

Status check_flag(uint64_t flag) {
  if (flag == ACL_NOTIFY_DEFAULT || flag == ACL_NOTIFY_DEVICE_USE_ONLY) return {};
  return {ACL_ERROR_RT_PARAM_INVALID, "flag must be ACL_NOTIFY_DEFAULT or ACL_NOTIFY_DEVICE_USE_ONLY", "EE1003"};
}

}  // namespace

aclError aclrtCreateNotify(aclrtNotify* notify, uint64_t flag) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(notify, "notify"));
        TRY(check_flag(flag));
        TRY(current_context());
        *notify = notify_table().insert(TRY(Notify::make()));
        return {};
      },
      notify, flag);
}

aclError aclrtDestroyNotify(aclrtNotify notify) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(notify, "notify"));
        TRY(find_notify(notify));
        notify_table().remove(notify);
        return {};
      },
      notify);
}

aclError aclrtRecordNotify(aclrtNotify notify, aclrtStream stream) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(notify, "notify"));
        auto target = TRY(find_notify(notify));
        return target->record(*TRY(find_stream(stream)));
      },
      notify, stream);
}

aclError aclrtWaitAndResetNotify(aclrtNotify notify, aclrtStream stream, uint32_t timeout) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(notify, "notify"));
        auto target = TRY(find_notify(notify));
        return target->wait(*TRY(find_stream(stream)), std::chrono::seconds(timeout));
      },
      notify, stream, timeout);
}

aclError aclrtGetNotifyId(aclrtNotify notify, uint32_t* notifyId) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(notify, "notify"));
        TRY(not_null(notifyId, "notifyId"));
        *notifyId = TRY(find_notify(notify))->id();
        return {};
      },
      notify, notifyId);
}

aclError aclrtNotifyBatchReset(aclrtNotify* notifies, size_t num) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(notifies, "notifies"));
        if (num == 0) return {ACL_ERROR_INVALID_PARAM, "num must be above 0", "EH0009"};
        std::vector<std::shared_ptr<Notify>> found;
        for (size_t i = 0; i < num; ++i) found.push_back(TRY(find_notify(notifies[i])));
        for (const auto& notify : found) notify->reset();
        return {};
      },
      notifies, num);
}

aclError aclrtNotifyGetExportKey(aclrtNotify notify, char* key, size_t len, uint64_t flags) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(notify, "notify"));
        TRY(not_null(key, "key"));
        const std::string text =
            TRY(find_notify(notify))->export_key(flags & ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION);
        if (len <= text.size())
          return {ACL_ERROR_RT_PARAM_INVALID,
                  "key has room for " + std::to_string(len) + " characters; it needs " +
                      std::to_string(text.size() + 1) + " (65 are always enough)",
                  "EE1011"};
        std::memcpy(key, text.c_str(), text.size() + 1);
        return {};
      },
      notify, key, len, flags);
}

aclError aclrtNotifyImportByKey(aclrtNotify* notify, const char* key, uint64_t flags) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(notify, "notify"));
        TRY(not_null(key, "key"));
        TRY(current_context());
        *notify = notify_table().insert(TRY(Notify::import(key)));
        return {};
      },
      notify, key, flags);
}

aclError aclrtNotifySetImportPid(aclrtNotify notify, int32_t* pid, size_t num) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(notify, "notify"));
        TRY(not_null(pid, "pid"));
        if (num == 0) return {ACL_ERROR_INVALID_PARAM, "num must be above 0", "EH0009"};
        return TRY(find_notify(notify))->allow({pid, num});
      },
      notify, pid, num);
}

aclError aclrtCntNotifyCreate(aclrtCntNotify* cntNotify, uint64_t flag) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(cntNotify, "cntNotify"));
        TRY(check_flag(flag));
        TRY(current_context());
        static std::atomic<uint32_t> next{0};
        *cntNotify = count_notify_table().insert(std::make_shared<CountNotify>(next++));
        return {};
      },
      cntNotify, flag);
}

aclError aclrtCntNotifyDestroy(aclrtCntNotify cntNotify) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(cntNotify, "cntNotify"));
        TRY(find_count_notify(cntNotify));
        count_notify_table().remove(cntNotify);
        return {};
      },
      cntNotify);
}

aclError aclrtCntNotifyRecord(aclrtCntNotify cntNotify, aclrtStream stream, aclrtCntNotifyRecordInfo* info) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(cntNotify, "cntNotify"));
        TRY(not_null(info, "info"));
        auto target = TRY(find_count_notify(cntNotify));
        return target->record(*TRY(find_stream(stream)), *info);
      },
      cntNotify, stream, info);
}

aclError aclrtCntNotifyWaitWithTimeout(aclrtCntNotify cntNotify, aclrtStream stream, aclrtCntNotifyWaitInfo* info) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(cntNotify, "cntNotify"));
        TRY(not_null(info, "info"));
        auto target = TRY(find_count_notify(cntNotify));
        return target->wait(*TRY(find_stream(stream)), *info);
      },
      cntNotify, stream, info);
}

aclError aclrtCntNotifyReset(aclrtCntNotify cntNotify, aclrtStream stream) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(cntNotify, "cntNotify"));
        auto target = TRY(find_count_notify(cntNotify));
        return target->reset(*TRY(find_stream(stream)));
      },
      cntNotify, stream);
}

aclError aclrtCntNotifyGetId(aclrtCntNotify cntNotify, uint32_t* notifyId) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(cntNotify, "cntNotify"));
        TRY(not_null(notifyId, "notifyId"));
        *notifyId = TRY(find_count_notify(cntNotify))->id();
        return {};
      },
      cntNotify, notifyId);
}

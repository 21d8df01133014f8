// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <cstring>

#include "acl/acl_rt.h"
#include "api/core/entry.h"
#include "base/package_version.h"
#include "base/text.h"

using namespace belay;
using namespace belay::api;

namespace {

PackagePlaces places() { return {getenv("ASCEND_HOME_PATH")}; }

Status copy_text(const std::string& text, char* out, size_t size) {
  if (text.size() >= size)
    return {ACL_ERROR_INTERNAL_ERROR, formatted("version {} does not fit into {} bytes", text, size)};
  memcpy(out, text.c_str(), text.size() + 1);
  return {};
}

Result<const char*> package_of(aclCANNPackageName name) {
  switch (name) {
    case ACL_PKG_NAME_CANN:
    case ACL_PKG_NAME_RUNTIME:
      return "runtime";
    case ACL_PKG_NAME_COMPILER:
      return "bisheng-compiler";
    case ACL_PKG_NAME_HCCL:
      return "hccl";
    case ACL_PKG_NAME_TOOLKIT:
      return "oam-tools";
    case ACL_PKG_NAME_OPP:
    case ACL_PKG_NAME_OPP_KERNEL:
      return "ops-legacy";
    case ACL_PKG_NAME_DRIVER:
      return "driver";
  }
  return Status{ACL_ERROR_INVALID_PARAM,
                formatted("name is {}; it must be ACL_PKG_NAME_CANN (0) to ACL_PKG_NAME_DRIVER (7)", name), "EH0007"};
}

Status fill_version(const VersionParts& version, aclCANNPackageVersion& out) {
  aclCANNPackageVersion filled{};
  char* const fields[] = {filled.majorVersion, filled.minorVersion, filled.releaseVersion, filled.patchVersion};
  TRY(copy_text(version.text, filled.version, sizeof filled.version));
  for (size_t i = 0; i < version.parts.size(); ++i)
    TRY(copy_text(version.parts[i], fields[i], sizeof filled.majorVersion));
  out = filled;
  return {};
}

}  // namespace

aclError aclrtGetVersion(int32_t* majorVersion, int32_t* minorVersion, int32_t* patchVersion) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(majorVersion, "majorVersion"));
        TRY(not_null(minorVersion, "minorVersion"));
        TRY(not_null(patchVersion, "patchVersion"));
        *majorVersion = ACL_MAJOR_VERSION;
        *minorVersion = ACL_MINOR_VERSION;
        *patchVersion = ACL_PATCH_VERSION;
        return {};
      },
      majorVersion, minorVersion, patchVersion);
}

aclError aclsysGetVersionStr(char* pkgName, char* versionStr) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(pkgName, "pkgName"));
        TRY(not_null(versionStr, "versionStr"));
        const std::string version = TRY(package_version(pkgName, places(), NameRetry::Both));
        return copy_text(version, versionStr, ACL_PKG_VERSION_MAX_SIZE);
      },
      static_cast<const char*>(pkgName), versionStr);
}

aclError aclsysGetVersionNum(char* pkgName, int32_t* versionNum) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(pkgName, "pkgName"));
        TRY(not_null(versionNum, "versionNum"));
        *versionNum = TRY(version_number(TRY(package_version(pkgName, places(), NameRetry::Both))));
        return {};
      },
      static_cast<const char*>(pkgName), versionNum);
}

aclError aclsysGetCANNVersion(aclCANNPackageName name, aclCANNPackageVersion* version) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(version, "version"));
        const char* package = TRY(package_of(name));
        const std::string text = TRY(package_version(package, places(), NameRetry::Underscore));
        return fill_version(TRY(version_parts(text)), *version);
      },
      name, version);
}

// SPDX-License-Identifier: Apache-2.0
// Image preprocessing that a program sets before each execution (dynamic AIPP), and questions about the static kind.
#include <array>
#include <vector>

#include "acl/acl_mdl.h"
#include "api/core/entry.h"
#include "api/model/dataset.h"
#include "api/model/file.h"
#include "executor/model_registry.h"

using namespace belay;
using namespace belay::api;

// The parameters of one execution: some for all images, some for each.
struct aclmdlAIPP {
  struct Image {
    std::array<int32_t, 5> scale{};    // switch, input w h, output w h
    std::array<int32_t, 5> crop{};     // switch, start w h, size w h
    std::array<int32_t, 5> padding{};  // switch, top, bottom, left, right
    std::array<int16_t, 4> mean{};
    std::array<float, 4> min{}, variance{1, 1, 1, 1};
  };
  aclAippInputFormat format = ACL_AIPP_RESERVED;
  std::array<int16_t, 9> matrix{};
  std::array<uint8_t, 6> bias{};
  bool convert = false, swap_rb = false, swap_ax = false;
  int32_t width = 0, height = 0;
  std::vector<Image> images;
};

namespace {

constexpr uint64_t kMaxBatch = 127;

Status bad(const std::string& parameter, const std::string& why) {
  return {ACL_ERROR_INVALID_PARAM, parameter + " " + why, "EH0005"};
}

Status check_switch(int8_t value, const char* parameter) {
  return value == 0 || value == 1 ? Status{} : bad(parameter, "must be 0 or 1");
}

Result<aclmdlAIPP::Image*> find_image(aclmdlAIPP* aipp, uint64_t index) {
  TRY(not_null(aipp, "aippParmsSet"));
  if (index >= aipp->images.size())
    return bad("batchIndex",
               "is " + std::to_string(index) + ", but the batch size is " + std::to_string(aipp->images.size()));
  return &aipp->images[index];
}

Status no_dynamic_aipp(uint32_t model_id) {
  const auto model = TRY(executor::model_registry().find(model_id));
  for (const auto& tensor : model->in_out().inputs)
    if (tensor.name.starts_with(ACL_DYNAMIC_AIPP_NAME))
      return {ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "models with dynamic AIPP cannot be run; convert with static AIPP",
              "EE1006"};
  return {static_cast<aclError>(ACL_ERROR_GE_AIPP_NOT_EXIST),
          "model " + std::to_string(model_id) + " has no dynamic AIPP; its preprocessing, if any, was fixed by atc"};
}

Status set_aipp(uint32_t model_id, aclmdlDataset* dataset, size_t index, const aclmdlAIPP* aipp) {
  TRY(not_null(dataset, "dataset"));
  TRY(not_null(aipp, "aippParmsSet"));
  if (index >= dataset->entries.size()) return bad("index", "is not one of the dataset's buffers");
  return no_dynamic_aipp(model_id);
}

}  // namespace

aclmdlAIPP* aclmdlCreateAIPP(uint64_t batchSize) {
  return entry_value<aclmdlAIPP*>(
      __func__, nullptr,
      [&]() -> aclmdlAIPP* {
        if (batchSize == 0 || batchSize > kMaxBatch) {
          report("aclmdlCreateAIPP", bad("batchSize", "must be 1 to 127"));
          return nullptr;
        }
        auto aipp = std::make_unique<aclmdlAIPP>();
        aipp->images.resize(batchSize);
        return aipp.release();
      },
      batchSize);
}

aclError aclmdlDestroyAIPP(const aclmdlAIPP* aippParmsSet) {
  return destroy(__func__, aippParmsSet, "aippParmsSet");
}

aclError aclmdlSetAIPPInputFormat(aclmdlAIPP* aippParmsSet, aclAippInputFormat inputFormat) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(aippParmsSet, "aippParmsSet"));
        switch (inputFormat) {
          case ACL_YUV420SP_U8:
          case ACL_XRGB8888_U8:
          case ACL_RGB888_U8:
          case ACL_YUV400_U8:
          case ACL_ARGB8888_U8:
            aippParmsSet->format = inputFormat;
            return {};
          default:
            return bad("inputFormat", "must be YUV420SP, XRGB8888, RGB888, YUV400 or ARGB8888");
        }
      },
      aippParmsSet, inputFormat);
}

aclError aclmdlSetAIPPCscParams(aclmdlAIPP* aippParmsSet, int8_t cscSwitch, int16_t cscMatrixR0C0,
                                int16_t cscMatrixR0C1, int16_t cscMatrixR0C2, int16_t cscMatrixR1C0,
                                int16_t cscMatrixR1C1, int16_t cscMatrixR1C2, int16_t cscMatrixR2C0,
                                int16_t cscMatrixR2C1, int16_t cscMatrixR2C2, uint8_t cscOutputBiasR0,
                                uint8_t cscOutputBiasR1, uint8_t cscOutputBiasR2, uint8_t cscInputBiasR0,
                                uint8_t cscInputBiasR1, uint8_t cscInputBiasR2) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(aippParmsSet, "aippParmsSet"));
        TRY(check_switch(cscSwitch, "cscSwitch"));
        aippParmsSet->convert = cscSwitch;
        aippParmsSet->matrix = {cscMatrixR0C0, cscMatrixR0C1, cscMatrixR0C2, cscMatrixR1C0, cscMatrixR1C1,
                                cscMatrixR1C2, cscMatrixR2C0, cscMatrixR2C1, cscMatrixR2C2};
        aippParmsSet->bias = {cscOutputBiasR0, cscOutputBiasR1, cscOutputBiasR2,
                              cscInputBiasR0,  cscInputBiasR1,  cscInputBiasR2};
        return {};
      },
      aippParmsSet, cscSwitch);
}

aclError aclmdlSetAIPPRbuvSwapSwitch(aclmdlAIPP* aippParmsSet, int8_t rbuvSwapSwitch) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(aippParmsSet, "aippParmsSet"));
        TRY(check_switch(rbuvSwapSwitch, "rbuvSwapSwitch"));
        aippParmsSet->swap_rb = rbuvSwapSwitch;
        return {};
      },
      aippParmsSet, rbuvSwapSwitch);
}

aclError aclmdlSetAIPPAxSwapSwitch(aclmdlAIPP* aippParmsSet, int8_t axSwapSwitch) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(aippParmsSet, "aippParmsSet"));
        TRY(check_switch(axSwapSwitch, "axSwapSwitch"));
        aippParmsSet->swap_ax = axSwapSwitch;
        return {};
      },
      aippParmsSet, axSwapSwitch);
}

aclError aclmdlSetAIPPSrcImageSize(aclmdlAIPP* aippParmsSet, int32_t srcImageSizeW, int32_t srcImageSizeH) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(aippParmsSet, "aippParmsSet"));
        if (srcImageSizeW <= 0 || srcImageSizeH <= 0) return bad("srcImageSizeW and srcImageSizeH", "must be above 0");
        aippParmsSet->width = srcImageSizeW;
        aippParmsSet->height = srcImageSizeH;
        return {};
      },
      aippParmsSet, srcImageSizeW, srcImageSizeH);
}

aclError aclmdlSetAIPPScfParams(aclmdlAIPP* aippParmsSet, int8_t scfSwitch, int32_t scfInputSizeW,
                                int32_t scfInputSizeH, int32_t scfOutputSizeW, int32_t scfOutputSizeH,
                                uint64_t batchIndex) {
  return entry(
      __func__,
      [&]() -> Status {
        auto* image = TRY(find_image(aippParmsSet, batchIndex));
        TRY(check_switch(scfSwitch, "scfSwitch"));
        image->scale = {scfSwitch, scfInputSizeW, scfInputSizeH, scfOutputSizeW, scfOutputSizeH};
        return {};
      },
      aippParmsSet, scfSwitch, batchIndex);
}

aclError aclmdlSetAIPPCropParams(aclmdlAIPP* aippParmsSet, int8_t cropSwitch, int32_t cropStartPosW,
                                 int32_t cropStartPosH, int32_t cropSizeW, int32_t cropSizeH, uint64_t batchIndex) {
  return entry(
      __func__,
      [&]() -> Status {
        auto* image = TRY(find_image(aippParmsSet, batchIndex));
        TRY(check_switch(cropSwitch, "cropSwitch"));
        image->crop = {cropSwitch, cropStartPosW, cropStartPosH, cropSizeW, cropSizeH};
        return {};
      },
      aippParmsSet, cropSwitch, batchIndex);
}

aclError aclmdlSetAIPPPaddingParams(aclmdlAIPP* aippParmsSet, int8_t paddingSwitch, int32_t paddingSizeTop,
                                    int32_t paddingSizeBottom, int32_t paddingSizeLeft, int32_t paddingSizeRight,
                                    uint64_t batchIndex) {
  return entry(
      __func__,
      [&]() -> Status {
        auto* image = TRY(find_image(aippParmsSet, batchIndex));
        TRY(check_switch(paddingSwitch, "paddingSwitch"));
        image->padding = {paddingSwitch, paddingSizeTop, paddingSizeBottom, paddingSizeLeft, paddingSizeRight};
        return {};
      },
      aippParmsSet, paddingSwitch, batchIndex);
}

aclError aclmdlSetAIPPDtcPixelMean(aclmdlAIPP* aippParmsSet, int16_t dtcPixelMeanChn0, int16_t dtcPixelMeanChn1,
                                   int16_t dtcPixelMeanChn2, int16_t dtcPixelMeanChn3, uint64_t batchIndex) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(find_image(aippParmsSet, batchIndex))->mean = {dtcPixelMeanChn0, dtcPixelMeanChn1, dtcPixelMeanChn2,
                                                           dtcPixelMeanChn3};
        return {};
      },
      aippParmsSet, batchIndex);
}

aclError aclmdlSetAIPPDtcPixelMin(aclmdlAIPP* aippParmsSet, float dtcPixelMinChn0, float dtcPixelMinChn1,
                                  float dtcPixelMinChn2, float dtcPixelMinChn3, uint64_t batchIndex) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(find_image(aippParmsSet, batchIndex))->min = {dtcPixelMinChn0, dtcPixelMinChn1, dtcPixelMinChn2,
                                                          dtcPixelMinChn3};
        return {};
      },
      aippParmsSet, batchIndex);
}

aclError aclmdlSetAIPPPixelVarReci(aclmdlAIPP* aippParmsSet, float dtcPixelVarReciChn0, float dtcPixelVarReciChn1,
                                   float dtcPixelVarReciChn2, float dtcPixelVarReciChn3, uint64_t batchIndex) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(find_image(aippParmsSet, batchIndex))->variance = {dtcPixelVarReciChn0, dtcPixelVarReciChn1,
                                                               dtcPixelVarReciChn2, dtcPixelVarReciChn3};
        return {};
      },
      aippParmsSet, batchIndex);
}

aclError aclmdlSetInputAIPP(uint32_t modelId, aclmdlDataset* dataset, size_t index, const aclmdlAIPP* aippParmsSet) {
  return entry(
      __func__, [&] { return set_aipp(modelId, dataset, index, aippParmsSet); }, modelId, dataset, index, aippParmsSet);
}

aclError aclmdlSetAIPPByInputIndex(uint32_t modelId, aclmdlDataset* dataset, size_t index,
                                   const aclmdlAIPP* aippParmsSet) {
  return entry(
      __func__, [&] { return set_aipp(modelId, dataset, index, aippParmsSet); }, modelId, dataset, index, aippParmsSet);
}

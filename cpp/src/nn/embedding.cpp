#include "nn/embedding.hpp"

#include <cstring>

namespace ropewalk::nn {

void embedding_forward(Compute compute, float* y, const std::int32_t* ids, const std::int32_t* type_ids,
                       const float* words, const float* types, float scale, std::size_t m, std::size_t e) {
  for (std::size_t i = 0; i < m; ++i)
    std::memcpy(y + i * e, words + static_cast<std::size_t>(ids[i]) * e, e * sizeof(float));
  embedding_finish(compute, y, type_ids, types, scale, m, e);
}

void embedding_finish(Compute compute, float* y, const std::int32_t* type_ids, const float* types,
                      float scale, std::size_t m, std::size_t e) {
  const kernels::DenseKernels& kernels = compute.dense();
  for (std::size_t i = 0; i < m; ++i) {
    if (scale != 1.0F) kernels.scale(scale, y + i * e, y + i * e, e);
    if (types == nullptr) continue;
    const std::size_t type = type_ids == nullptr ? 0 : static_cast<std::size_t>(type_ids[i]);
    kernels.add(types + type * e, y + i * e, e);
  }
}

void embedding_backward(Compute compute, float* dwords, float* dtypes, const float* dy,
                        const std::int32_t* ids, const std::int32_t* type_ids, float scale, std::size_t m,
                        std::size_t e) {
  const kernels::DenseKernels& kernels = compute.dense();
  for (std::size_t i = 0; i < m; ++i) {
    float* const word = dwords + static_cast<std::size_t>(ids[i]) * e;
    if (scale == 1.0F) {
      kernels.add(dy + i * e, word, e);
    } else {
      kernels.axpy(scale, dy + i * e, word, e);
    }
    if (dtypes == nullptr) continue;
    const std::size_t type = type_ids == nullptr ? 0 : static_cast<std::size_t>(type_ids[i]);
    kernels.add(dy + i * e, dtypes + type * e, e);
  }
}

}  // namespace ropewalk::nn

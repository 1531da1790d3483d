#include "nn/head_norm.hpp"

#include "nn/threads.hpp"

namespace ropewalk::nn {
namespace {

struct Strides {
  std::size_t token;
  std::ptrdiff_t head;

  Strides(const HeadStrides& given, const HeadNormShape& shape)
      : token(given.token == 0 ? shape.heads * shape.head_dim : given.token),
        head(static_cast<std::ptrdiff_t>(given.head == 0 ? shape.head_dim : given.head)) {}
  /// True if the heads of a token lie behind those of the token before it.
  bool run_on(const HeadNormShape& shape) const {
    return token == shape.heads * static_cast<std::size_t>(head);
  }
};

/// Calls body(first row, rows, offset in x, offset in y) for every run of heads with one stride.
template <class Body>
void for_each_run(const HeadNormShape& shape, const Strides& x, const Strides& y, Body body) {
  if (x.run_on(shape) && y.run_on(shape)) return body(0, shape.tokens * shape.heads, 0, 0);
  for (std::size_t t = 0; t < shape.tokens; ++t) body(t * shape.heads, shape.heads, t * x.token, t * y.token);
}

}  // namespace

void head_norm_forward(Compute compute, float* y, float* mean, float* rstd, const float* x, const Norm& norm,
                       const HeadNormShape& shape) {
  const kernels::DenseKernels& kernels = compute.dense();
  const Strides from(shape.x, shape), to(shape.y, shape);
  in_rows(compute, shape.tokens, norm_cost * shape.heads * shape.head_dim,
          [&](std::size_t token, std::size_t tokens) {
            HeadNormShape some = shape;
            some.tokens = tokens;
            for_each_run(some, from, to,
                         [&](std::size_t row, std::size_t rows, std::size_t in, std::size_t out) {
                           kernels.norm({.kind = norm.kind,
                                         .x = x + token * from.token + in,
                                         .x_row = from.head,
                                         .residual = nullptr,
                                         .sum = nullptr,
                                         .gamma = norm.gamma,
                                         .beta = norm.beta,
                                         .y = y + token * to.token + out,
                                         .y_row = to.head,
                                         .mean = mean == nullptr ? nullptr : mean + token * shape.heads + row,
                                         .rstd = rstd == nullptr ? nullptr : rstd + token * shape.heads + row,
                                         .m = rows,
                                         .n = shape.head_dim,
                                         .eps = norm.eps});
                         });
          });
}

void head_norm_backward(Compute compute, float* dx, float* dgamma, float* dbeta, const float* dy,
                        const float* x, const Norm& norm, const float* mean, const float* rstd,
                        const HeadNormShape& shape) {
  const kernels::DenseKernels& kernels = compute.dense();
  const Strides from(shape.x, shape), to(shape.y, shape);
  for_each_run(shape, from, to, [&](std::size_t row, std::size_t rows, std::size_t in, std::size_t out) {
    kernels.norm_backward({.kind = norm.kind,
                           .dy = dy + out,
                           .dy_row = to.head,
                           .x = x + in,
                           .x_row = from.head,
                           .gamma = norm.gamma,
                           .mean = mean == nullptr ? nullptr : mean + row,
                           .rstd = rstd + row,
                           .dx = dx + out,
                           .dgamma = dgamma,
                           .dbeta = dbeta,
                           .m = rows,
                           .n = shape.head_dim});
  });
}

}  // namespace ropewalk::nn

#pragma once

// Activations: each is a value and a derivative, the loops are shared.

#include "kernels/dense.hpp"
#include "kernels/math.inl.hpp"

namespace ropewalk::kernels {

/// x/2 (1 + erf(x / sqrt 2)), Hendrycks and Gimpel 2016
struct Gelu {
  template <class Arch>
  static Floats<Arch> value(Floats<Arch> x) noexcept {
    using F = Floats<Arch>;
    return F(0.5F) * x * (F(1.0F) + kernels::erf<Arch>(x * F(0.70710678F)));
  }
  template <class Arch>
  static Floats<Arch> derivative(Floats<Arch> x) noexcept {
    using F = Floats<Arch>;
    const F below = F(0.5F) * (F(1.0F) + kernels::erf<Arch>(x * F(0.70710678F)));
    return muladd<Arch>(x * F(0.39894228F), kernels::exp<Arch>(F(-0.5F) * x * x), below);
  }
};

/// x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))
struct GeluTanh {
  template <class Arch>
  static Floats<Arch> value(Floats<Arch> x) noexcept {
    using F = Floats<Arch>;
    return F(0.5F) * x * (F(1.0F) + kernels::tanh<Arch>(inner<Arch>(x)));
  }
  template <class Arch>
  static Floats<Arch> derivative(Floats<Arch> x) noexcept {
    using F = Floats<Arch>;
    // By e = exp(-2|u|): 1 - tanh(u)^2 from a rounded tanh would have lost its digits where |x| is large.
    const F u = inner<Arch>(x);
    const F e = kernels::exp<Arch>(F(-2.0F) * xsimd::abs(u));
    const F share = Exact<Arch>::divide(F(1.0F), F(1.0F) + e);
    const F below = xsimd::select(u < F(0.0F), e * share, share);  // (1 + tanh u) / 2
    const F flat = F(4.0F) * e * share * share;                    // 1 - tanh(u)^2
    const F slope = F(0.79788456F) * muladd<Arch>(F(3.0F * 0.044715F), x * x, F(1.0F));
    // 0 times a slope that is infinite is still 0.
    return below + xsimd::select(flat == F(0.0F), F(0.0F), F(0.5F) * x * flat * slope);
  }

 private:
  template <class Arch>
  static Floats<Arch> inner(Floats<Arch> x) noexcept {
    using F = Floats<Arch>;
    return F(0.79788456F) * x * muladd<Arch>(F(0.044715F), x * x, F(1.0F));
  }
};

/// max(x, 0); NaN stays NaN
struct Relu {
  template <class Arch>
  static Floats<Arch> value(Floats<Arch> x) noexcept {
    using F = Floats<Arch>;
    return xsimd::select(x < F(0.0F), F(0.0F), x);
  }
  template <class Arch>
  static Floats<Arch> derivative(Floats<Arch> x) noexcept {
    using F = Floats<Arch>;
    return xsimd::select(x > F(0.0F), F(1.0F), F(0.0F));
  }
};

/// max(x, 0)^2 (So et al., arXiv 2109.08668); NaN stays NaN
struct Relu2 {
  template <class Arch>
  static Floats<Arch> value(Floats<Arch> x) noexcept {
    const Floats<Arch> above = Relu::value<Arch>(x);
    return above * above;
  }
  template <class Arch>
  static Floats<Arch> derivative(Floats<Arch> x) noexcept {
    return Floats<Arch>(2.0F) * Relu::value<Arch>(x);
  }
};

/// 1 / (1 + e^-x)
struct Sigmoid {
  template <class Arch>
  static Floats<Arch> value(Floats<Arch> x) noexcept {
    using F = Floats<Arch>;
    return Exact<Arch>::divide(F(1.0F), F(1.0F) + kernels::exp<Arch>(F(0.0F) - x));
  }
  /// By e = exp(-|x|), for the reason given at tanh_derivative.
  template <class Arch>
  static Floats<Arch> derivative(Floats<Arch> x) noexcept {
    using F = Floats<Arch>;
    const F e = kernels::exp<Arch>(F(0.0F) - xsimd::abs(x));
    const F share = Exact<Arch>::divide(F(1.0F), F(1.0F) + e);
    return e * share * share;
  }
};

/// x / (1 + e^-x)
struct Silu {
  template <class Arch>
  static Floats<Arch> value(Floats<Arch> x) noexcept {
    return x * Sigmoid::value<Arch>(x);
  }
  template <class Arch>
  static Floats<Arch> derivative(Floats<Arch> x) noexcept {
    using F = Floats<Arch>;
    const F s = Sigmoid::value<Arch>(x);
    return s * muladd<Arch>(x, F(1.0F) - s, F(1.0F));
  }
};

struct Linear {
  template <class Arch>
  static Floats<Arch> value(Floats<Arch> x) noexcept {
    return x;
  }
  template <class Arch>
  static Floats<Arch> derivative(Floats<Arch>) noexcept {
    return Floats<Arch>(1.0F);
  }
};

struct Tanh {
  template <class Arch>
  static Floats<Arch> value(Floats<Arch> x) noexcept {
    return kernels::tanh<Arch>(x);
  }
  template <class Arch>
  static Floats<Arch> derivative(Floats<Arch> x) noexcept {
    return kernels::tanh_derivative<Arch>(x);
  }
};

/// For the tables of functions and their tests.
struct Exp {
  template <class Arch>
  static Floats<Arch> value(Floats<Arch> x) noexcept {
    return kernels::exp<Arch>(x);
  }
};
struct Erf {
  template <class Arch>
  static Floats<Arch> value(Floats<Arch> x) noexcept {
    return kernels::erf<Arch>(x);
  }
};

template <class Arch, class F>
void map(const float* x, float* y, std::size_t count) noexcept {
  sweep<Arch>(count, [&](std::size_t i, auto n) {
    store<Arch>(load<Arch>(x + i, n).map([](Floats<Arch> v) { return F::template value<Arch>(v); }), y + i,
                n);
  });
}

template <class Arch, class F>
void map_backward(const float* x, const float* dy, float* dx, std::size_t count) noexcept {
  sweep<Arch>(count, [&](std::size_t i, auto n) {
    const auto slope =
        load<Arch>(x + i, n).map([](Floats<Arch> v) { return F::template derivative<Arch>(v); });
    store<Arch>(load<Arch>(dy + i, n) * slope, dx + i, n);
  });
}

}  // namespace ropewalk::kernels

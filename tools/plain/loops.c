// Rotation as a careful C programmer writes it, with no vectors by hand: what emcc makes of it is what Ropewalk's
// kernels are measured against, in the benchmark and in the playground's Speed room.
//   emcc -O3 [-msimd128]
//
// x (S,H,D) is rotated in place; cosine and sine are (S,D/2).

void rotate_half(float* x, const float* cosine, const float* sine, int tokens, int heads, int dim) {
  const int pairs = dim / 2;
  for (int s = 0; s < tokens; ++s) {
    const float* restrict c = cosine + s * pairs;
    const float* restrict n = sine + s * pairs;
    for (int h = 0; h < heads; ++h) {
      float* restrict first = x + (s * heads + h) * dim;
      float* restrict second = first + pairs;
      for (int j = 0; j < pairs; ++j) {
        const float a = first[j], b = second[j];
        first[j] = a * c[j] - b * n[j];
        second[j] = a * n[j] + b * c[j];
      }
    }
  }
}

void rotate_interleaved(float* x, const float* cosine, const float* sine, int tokens, int heads, int dim) {
  const int pairs = dim / 2;
  for (int s = 0; s < tokens; ++s) {
    const float* restrict c = cosine + s * pairs;
    const float* restrict n = sine + s * pairs;
    for (int h = 0; h < heads; ++h) {
      float* restrict pair = x + (s * heads + h) * dim;
      for (int j = 0; j < pairs; ++j) {
        const float a = pair[2 * j], b = pair[2 * j + 1];
        pair[2 * j] = a * c[j] - b * n[j];
        pair[2 * j + 1] = a * n[j] + b * c[j];
      }
    }
  }
}

// The least that touching every number can cost: the limit.
void scale(float* x, int count, float by) {
  for (int i = 0; i < count; ++i) x[i] *= by;
}

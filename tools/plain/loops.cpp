// Loops as a careful C programmer writes them and leaves them to the compiler. The benchmark (-O3 -msimd128 by the
// same emcc, -O3 -march=native natively) and the Speed page measure Ropewalk's kernels against them. x is (B,S,H,D),
// rotated in place; tables are (S,D/2).

extern "C" {

void plain_half(float* x, const float* cos, const float* sin, int batch, int sequence, int heads, int dim) {
  const int pairs = dim / 2;
  for (int b = 0; b < batch; ++b) {
    for (int s = 0; s < sequence; ++s) {
      const float* __restrict c = cos + (long)s * pairs;
      const float* __restrict n = sin + (long)s * pairs;
      for (int h = 0; h < heads; ++h, x += dim) {
        float* __restrict first = x;
        float* __restrict second = x + pairs;
        for (int j = 0; j < pairs; ++j) {
          const float a = first[j], z = second[j];
          first[j] = a * c[j] - z * n[j];
          second[j] = a * n[j] + z * c[j];
        }
      }
    }
  }
}

void plain_interleaved(float* x, const float* cos, const float* sin, int batch, int sequence, int heads,
                       int dim) {
  const int pairs = dim / 2;
  for (int b = 0; b < batch; ++b) {
    for (int s = 0; s < sequence; ++s) {
      const float* __restrict c = cos + (long)s * pairs;
      const float* __restrict n = sin + (long)s * pairs;
      for (int h = 0; h < heads; ++h, x += dim) {
        float* __restrict head = x;
        for (int j = 0; j < pairs; ++j) {
          const float a = head[2 * j], z = head[2 * j + 1];
          head[2 * j] = a * c[j] - z * n[j];
          head[2 * j + 1] = a * n[j] + z * c[j];
        }
      }
    }
  }
}

/// c (m,n) = a (m,k) b (k,n)
void plain_product(float* __restrict c, const float* __restrict a, const float* __restrict b, int m, int k,
                   int n) {
  for (int i = 0; i < m; ++i) {
    float* row = c + (long)i * n;
    for (int j = 0; j < n; ++j) row[j] = 0;
    for (int l = 0; l < k; ++l) {
      const float element = a[(long)i * k + l];
      for (int j = 0; j < n; ++j) row[j] += element * b[(long)l * n + j];
    }
  }
}

}  // extern "C"

// Matrix products in float64.

/** Throws unless c (m,n) = a (m,k) b (k,n), at 64 places spread over c. */
export function checkProduct(c, a, b, [m, k, n], tolerance = 1e-5) {
  if (c.length !== m * n) throw new Error(`its result has ${c.length} numbers, not ${m * n}`);
  for (let i = 0; i < 64; i++) {
    const at = Math.floor((i / 63) * (m * n - 1));
    const [row, column] = [Math.floor(at / n), at % n];
    let sum = 0;
    for (let each = 0; each < k; each++) sum += a[row * k + each] * b[each * n + column];
    // Sums of k products of numbers in [-1, 1) are about sqrt(k)/3.
    if (!(Math.abs(c[at] - sum) <= tolerance * Math.sqrt(k))) {
      throw new Error(`its result is wrong at (${row}, ${column}): ${c[at]} for ${sum}`);
    }
  }
}

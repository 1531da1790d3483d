/** The legend of a drawing that has queries and keys as arrows, before and after their rotation. */
export function QueryKeyLegend() {
  return (
    <p class="key-line">
      <span class="key q">query, rotated</span>
      <span class="key k">key, rotated</span>
      <span class="key ghost">before rotation</span>
    </p>
  );
}

/** The ramp's ticks stand at the square root of their weight, as the colours do. */
const ticks = [0.05, 0.25, 0.5];

export function Legend() {
  return (
    <div class="legend" aria-hidden="true">
      <span>0</span>
      <span class="legend-ramp">
        {ticks.map((weight) => (
          <i key={weight} style={{ "--left": `${Math.sqrt(weight) * 100}%` }}>
            {String(weight).slice(1)}
          </i>
        ))}
      </span>
      <span>1</span>
    </div>
  );
}

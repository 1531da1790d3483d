import { useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/** A drawing's width in CSS pixels, as measured, so that letters and lines keep their size on every screen. */
export function useMeasuredWidth(): [drawing: RefObject<SVGSVGElement | null>, width: number] {
  const width = useSignal(640);
  const drawing = useRef<SVGSVGElement>(null);
  useLayoutEffect(() => {
    const svg = drawing.current;
    if (!svg) return;
    width.value = svg.getBoundingClientRect().width || 640;
    const observer = new ResizeObserver(([entry]) => {
      if (entry && entry.contentRect.width > 0) width.value = entry.contentRect.width;
    });
    observer.observe(svg);
    return () => observer.disconnect();
  }, []);
  return [drawing, width.value];
}

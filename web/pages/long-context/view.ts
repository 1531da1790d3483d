import { computed, signal } from "@preact/signals";
import { state } from "../../state/address.js";

/** Hover previews, a click locks, and then stands in the link. */
export const previewRule = signal<(typeof state)["long-context"]["rule"]["value"] | undefined>(undefined);
export const shownRule = computed(() => previewRule.value ?? state["long-context"].rule.value);

export const previewFactor = signal<number | undefined>(undefined);
export const shownFactor = computed(() => previewFactor.value ?? Number(state["long-context"].at.value));

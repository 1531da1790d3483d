import { computed, signal } from "@preact/signals";
import { state } from "./state.js";

/** Hover to preview, click to keep, and then stands in the link. */
export const previewRule = signal<(typeof state)["rule"]["value"] | undefined>(undefined);
export const shownRule = computed(() => previewRule.value ?? state.rule.value);

export const previewFactor = signal<number | undefined>(undefined);
export const shownFactor = computed(() => previewFactor.value ?? Number(state.at.value));

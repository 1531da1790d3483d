/** Every entry loads this file when a model has a head of its own, ranks, or classifies into labels. */
export * from "../model/heads.js";

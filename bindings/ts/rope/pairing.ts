/** The two channels that make a pair. */

/** 'interleaved': channels (2j, 2j+1), as RoFormer and GPT-J. 'half': (j, j + d/2), as Hugging Face's Llama. */
export type Pairing = "interleaved" | "half";

/** At the place of their value in ropewalk::Pairing. */
export const PAIRINGS: readonly Pairing[] = ["interleaved", "half"];

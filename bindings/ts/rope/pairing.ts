/** The two channels that make a pair. */

/**
 * 'interleaved': channels (2j, 2j+1), as RoFormer, GPT-J and Meta's own Llama. 'half': (j, j + d/2), as Hugging Face's Llama,
 * whose weights are permuted for it.
 */
export type Pairing = "interleaved" | "half";

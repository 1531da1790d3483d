/**
 * Values of `position_encoding` in config.json.
 *
 * `rope` is RoFormer, with any frequency rule by its keys of config.json; `rope-receptive-field` learns alpha and rho of
 * each head; `rope-linear-attention` is equation 19 of its paper; `rope-performer` rotates before random features. They
 * are compared with `none`, `sinusoidal`, `learned`, `transformer-xl`, `t5`, `alibi` (symmetric) and `alibi-asymmetric`
 * (keys after the query are penalised half as steeply); `linear-attention` and `performer` are the two without rotation.
 * These four also work in a decoder (`is_decoder`), where their sums run over the tokens so far, and take a table of
 * learned positions besides with `learned_positions: true`. `performer_rotation` is "projections" or, as equation 19 has
 * it and by default in a decoder, "features": the random features themselves rotate, in the numerator alone.
 *
 * Four rivals of the rotation take its keys as well (`rope_theta`, `rope_scaling`), except the last. `pope` is PoPE
 * (arXiv 2509.10534): magnitudes softplus(q) and softplus(k), whose angles come from the positions and a learned phase alone.
 * `rope-plus-plus` is RoPE++ (arXiv 2512.07525) with half of the projections: `num_attention_heads` / 2 heads of queries,
 * keys and values make a real and an imaginary head each, so that it has to be even. `clipped-rope` (arXiv 2602.05258) lets
 * the last `rotary_clip` pairs fade, by default those that complete no turn within `max_position_embeddings`.
 * `distance-bias` adds a bias of the distance that each token mixes from `relative_profiles` profiles (8), up to the distance
 * `relative_extent` (128). Each also works in a decoder.
 *
 * `sinusoidal_scale` multiplies the sines, whose root mean square is 0.71 where word vectors begin at `initializer_range`.
 */
export type PositionEncoding =
  | "rope"
  | "rope-receptive-field"
  | "rope-linear-attention"
  | "rope-performer"
  | "none"
  | "sinusoidal"
  | "learned"
  | "transformer-xl"
  | "t5"
  | "alibi"
  | "alibi-asymmetric"
  | "linear-attention"
  | "performer"
  | "pope"
  | "rope-plus-plus"
  | "clipped-rope"
  | "distance-bias";

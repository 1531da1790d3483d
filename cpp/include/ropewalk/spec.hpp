#pragma once

/// A transformer described as data. Families (RoFormer, BERT, ...) differ in nothing but their `Spec`, the
/// names of their tensors and the keys of their config.json; one forward pass reads it.
///
/// Shapes: B batch, T tokens of a sequence, C hidden size, E width of the word vectors, H heads, K key heads,
/// D head dimension, F width of the feed-forward network, V vocabulary, L layers.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ropewalk/activation.hpp"
#include "ropewalk/norm.hpp"
#include "ropewalk/rope.hpp"
#include "ropewalk/status.hpp"

namespace ropewalk {

/// A norm.
struct NormSpec {
  /// The formula.
  NormKind kind = NormKind::layer;
  /// Added to the variance or the mean of the squares.
  double eps = 1e-12;
  /// True if there is a g.
  bool gain = true;
  /// True if there is a b.
  bool bias = true;
};

/// The place of the norms in a layer, with A its attention and F its feed-forward network.
///   post:      x = N1(x + A(x));            x = N2(x + F(x))
///   pre:       x = x + A(N1(x));            x = x + F(N2(x))
///   sandwich:  x = x + N1'(A(N1(x)));       x = x + N2'(F(N2(x)))
///   after:     x = x + N1'(A(x));           x = x + N2'(F(x))
///   parallel:  x = x + A(N1(x)) + F(N2(x))
///   parallel_shared: the same with N1 in the place of N2
enum class NormPlacement : std::uint8_t { post, pre, sandwich, after, parallel, parallel_shared };

/// The ways in which positions enter the model, one type each. "Rotate" below is RoPE (ropewalk/rope.hpp) on
/// queries and keys, and on values if `values`; a length-dependent rule follows the T of each pass.
namespace positions {

/// Word order is invisible.
struct None {};
/// Sines and cosines (Vaswani et al. 2017), times `scale`, are added to the word vectors.
struct Sinusoidal {
  /// Factor of the sines and cosines.
  double scale = 1;
};
/// A table of `rows` vectors is added to the word vectors: no text may be longer.
struct Learned {
  /// Positions that the table has.
  std::size_t rows = 512;
  /// Positions count the tokens that are not this one and begin at the id behind it (XLM-RoBERTa); such a
  /// token has the position of its own id. Unset: positions are 0 to T - 1.
  std::optional<std::int32_t> padding_id = {};
};
/// Dai et al. 2019: a bias for content and one for position, and keys of the distance.
struct TransformerXl {};
/// Raffel et al. 2020: a learned bias for each head and one of 32 ranges of distance.
struct T5 {
  /// A table of learned positions besides (MPNet).
  std::optional<Learned> learned = {};
};
/// Press et al. 2022, symmetric; `asymmetric` penalises keys after the query half as steeply.
struct Alibi {
  /// True if keys after the query are penalised half as steeply.
  bool asymmetric = false;
  /// Slopes where the number of heads is no power of two: false, 2^(-8h/H) for all; true, those of the next lower power,
  /// then every second one of the next higher, as the paper's code has them (Jina v2).
  bool slopes_of_powers = false;
};
/// He et al. 2021 (arXiv 2006.03654), DeBERTa v2 and v3: beside those of the tokens, queries and keys of their distance.
/// Scores of query i and key j get q_i k(d) and k_j q(d), with d = i - j, and a factor that counts these terms. Distances
/// are cut to the range of a table, whose rows are shared by all layers. Such a model is not trained.
struct Disentangled {
  /// Rows of the table for d < 0; those for d >= 0 are as many.
  std::size_t rows = 256;
  /// n > 0: ranges of |d| on either side, one each up to n / 2, from there on wider with the logarithm of |d|, so that the
  /// last one holds `furthest` - 1. 0: every distance has its own.
  std::size_t buckets = 256;
  /// Where buckets end: at least buckets / 2 + 2.
  std::size_t furthest = 512;
  /// True for q_i k(d).
  bool content_to_position = true;
  /// True for k_j q(d).
  bool position_to_content = true;
  /// True if the layers of queries and keys make those of distances too; else each layer has two of its own.
  bool shared = true;
  /// True if the rows of the table go through a norm.
  bool norm = true;
  /// A table of learned positions besides.
  std::optional<Learned> learned = {};
};
/// RoFormer (Su et al., arXiv 2104.09864), equation 16. Each layer names one of `ropes` (LayerSpec::rope).
/// Empty: one rope, interleaved, theta_j = 10000^(-2j/D).
struct Rope {
  /// One of them is named by each layer.
  std::vector<RopeOptions> ropes = {};
  /// True if values rotate as well.
  bool values = false;
  /// True if their frequencies are tensors of the checkpoint (ESM-2). Such a model is not trained: what is saved
  /// would lose them.
  bool stored = false;
  /// True if a head rotates by minus its position (nanochat).
  bool backwards = false;
};
/// As Rope; each head of each layer learns alpha and rho of
/// theta*_j = alpha / 10000^rho + (1 - alpha) theta_j.
struct RopeReceptiveField {
  /// The rope of queries and keys; unset: interleaved, theta_j = 10000^(-2j/D).
  std::optional<RopeOptions> rope = {};
  /// True if values rotate as well.
  bool values = false;
};
/// PoPE (arXiv 2509.10534). Queries and keys have magnitudes alone, softplus(q) and softplus(k), and each of their D
/// channels an angle of its own: the score is sum_c softplus(q_c) softplus(k_c) cos((m - n) theta_c - delta_c) with
/// theta_c = base^(-c/D). Each head of each layer learns delta, which counts from -2 pi to 0.
struct Pope {
  /// The rule of theta, whose d is 2D; unset: base 10000.
  std::optional<RopeOptions> rope = {};
};
/// RoPE++ (arXiv 2512.07525) with half of the projections: H/2 heads of queries, keys and values make H heads of
/// attention. The first H/2 are RoPE's; in the others, the imaginary ones, each query is turned back by a quarter.
struct RopePlusPlus {
  /// The rope of queries and keys; unset: interleaved, theta_j = 10000^(-2j/D).
  std::optional<RopeOptions> rope = {};
};
/// A learned bias of the distance that each token mixes for itself, added to the scaled scores: with p profiles of the
/// distance in each layer, head h of the query m takes sum_p (W x_m)[h,p] profiles[p, m - n + E - 1], and 0 from the
/// distance E on.
struct DistanceBias {
  /// E.
  std::size_t extent = 128;
  /// Profiles of each layer.
  std::size_t profiles = 8;
};
/// RoFormer's equation 19, linear in T; in a causal model its sums run over the tokens so far. `rotates` false: the same
/// without rotation.
struct LinearAttention {
  /// False: linear attention without rotation.
  bool rotates = true;
  /// The rope of queries and keys; unset: interleaved, theta_j = 10000^(-2j/D).
  std::optional<RopeOptions> rope = {};
  /// True if values rotate as well.
  bool values = false;
  /// Rows of a table of learned positions besides, as Learned has them.
  std::optional<std::size_t> learned_rows = {};
};
/// The random features of FAVOR+ (arXiv 2009.14794) with rotation; in a causal model their sums run over the tokens so
/// far. `rotates` false: the same without rotation.
struct Performer {
  /// False: the features without rotation.
  bool rotates = true;
  /// The rope of queries and keys; unset: interleaved, theta_j = 10000^(-2j/D).
  std::optional<RopeOptions> rope = {};
  /// True if values rotate as well.
  bool values = false;
  /// Per head; unset: D ln D.
  std::optional<std::size_t> features = {};
  /// Seed of the directions that are drawn.
  std::uint64_t seed = 0;
  /// The part that rotates: queries and keys before the features are made of them, as in the code of the paper's
  /// experiment, or the features, in the numerator alone, as equation 19 has it.
  enum class Rotated : std::uint8_t { projections, features };
  /// The part that rotates.
  Rotated rotated = Rotated::projections;
  /// As LinearAttention::learned_rows.
  std::optional<std::size_t> learned_rows = {};
  /// The directions of each layer (features,D), if the checkpoint holds them; empty: drawn from `seed`.
  std::vector<std::vector<float>> directions = {};
};

}  // namespace positions

/// How positions enter the model.
using PositionSpec =
    std::variant<positions::Rope, positions::None, positions::Sinusoidal, positions::Learned,
                 positions::TransformerXl, positions::T5, positions::Alibi, positions::RopeReceptiveField,
                 positions::LinearAttention, positions::Performer, positions::Pope, positions::RopePlusPlus,
                 positions::DistanceBias, positions::Disentangled>;

/// Vectors of tokens and of token types, and what is done to them before the first layer.
struct EmbeddingSpec {
  /// E; 0: C. Vectors of another width are projected to C by a linear layer.
  std::size_t width = 0;
  /// Rows of the table of token types; 0: no table.
  std::size_t token_types = 2;
  /// True if a norm follows.
  bool norm = true;
  /// True if all tokens have type 0, whatever types a caller gives (GTE with one type or none).
  bool any_type = false;
  /// ESM-2: embeddings of this id are 0, and all are multiplied by 0.88 / (1 - its share of the sequence's tokens),
  /// since 12 % were so in training. A sequence of nothing else is refused.
  std::optional<std::int32_t> mask_id = {};
  /// True if embeddings of padding are 0 after the norm (ESM-2).
  bool zero_padding = false;
  /// Factor of the word vectors, in float32: sqrt(C) in Gemma. A head that is tied to the table reads it
  /// without the factor.
  double scale = 1;
  /// True if the factor is rounded to the type in which a checkpoint holds the table, as Transformers does in
  /// Gemma's decoders. The spec of a loaded model holds the rounded factor.
  bool rounds_scale = false;
};

/// The attention of every layer.
struct AttentionSpec {
  /// H.
  std::size_t heads = 12;
  /// K, a divisor of H: query head h uses key head floor(h K / H). 0: H.
  std::size_t key_heads = 0;
  /// D; 0: C / H.
  std::size_t head_dim = 0;
  /// How a checkpoint holds the weights of queries, keys and values.
  ///   separate:  three tensors
  ///   blocks:    one of (H + 2K) D rows: all queries, all keys, all values
  ///   per_head:  one of 3 H D rows: query, key and value of head 0, then those of head 1, ...; K is H
  enum class Packing : std::uint8_t { separate, blocks, per_head };
  /// How a checkpoint holds those weights.
  Packing packing = Packing::separate;
  /// True if the layers of queries, keys and values have a bias.
  bool bias = true;
  /// True if the layer of the output has one.
  bool output_bias = true;
  /// Norm of each query and key over the D numbers of its head, before it rotates; its gain and bias serve
  /// all heads. Unset: no norm.
  std::optional<NormSpec> qk_norm = {};
  /// True if that norm is over the numbers of all heads together, with a gain for each (OLMo 2, ESM-C).
  bool qk_norm_of_all_heads = false;
  /// True if a head rotates before that norm (Hunyuan, nanochat). Its kind is rms, without a bias, and no rope changes
  /// the length of a vector.
  bool qk_norm_after_rotation = false;
  /// Factor of the scores; unset: 1 / sqrt(D).
  std::optional<double> scale = {};
  /// True if each value is divided by the root mean square of the D numbers of its head, with Spec::norm's eps (Gemma 4).
  /// Such a model runs as a decoder alone.
  bool value_norm = false;
  /// True if each output of a head is multiplied by the sigmoid of a gate (Qwen 3.5). The tensor of queries then has 2 H D
  /// rows: query and gate of head 0, of head 1, ...; `packing` is separate. Such a model is not trained.
  bool output_gate = false;
  /// c: scores become c tanh(score / c), after the factor and before masks (Gemma 2). 0: no cap.
  double soft_cap = 0;
  /// True if a token sees only itself and those before it.
  bool causal = false;
};

/// The feed-forward network of every layer.
struct FeedForwardSpec {
  /// F.
  std::size_t width = 3072;
  /// Between its two layers.
  Activation activation = Activation::gelu;
  /// act(gate(x)) * up(x) in place of act(up(x)).
  bool gated = false;
  /// How a checkpoint holds the gate and up of a gated network: as two tensors, or as one of 2F rows in that
  /// order.
  enum class Packing : std::uint8_t { separate, gate_up, up_gate };
  /// How a checkpoint holds gate and up.
  Packing packing = Packing::separate;
  /// True if the first layer has a bias, and the gate.
  bool bias = true;
  /// True if the last layer has one.
  bool output_bias = true;
  /// n networks that are not gated, in the layers that have experts. Their first layers have no bias.
  std::size_t experts = 0;
  /// k: each token takes the k of them that suit it best.
  std::size_t active_experts = 1;
};

/// A gated convolution over the last w tokens, in the place of a layer's attention (LFM2). With x split into b, c and u by a
/// linear layer: y = out(c * conv(b * u)), where conv has w weights for each channel and sees no later token.
struct ShortConvolutionSpec {
  /// w.
  std::size_t width = 3;
  /// True if the convolution and both linear layers have a bias.
  bool bias = false;
};

/// A gated delta net in the place of a layer's attention (Yang et al. 2024, arXiv 2412.06464; Qwen 3.5). Linear layers of x
/// make the inputs of a convolution as ShortConvolutionSpec has it, with an activation behind it, that gives queries and
/// keys of K heads of D numbers and values of H heads of E numbers; a gate z; and for each of the H heads beta = sigmoid(b)
/// and decay = exp(-exp(A) softplus(a + c)). By the gated delta rule each head has a state S (D,E):
///   S = decay S;  S = S + k (beta (v - S^T k))^T;  o = S^T q
/// where |k| = 1 and |q| = 1 / sqrt(D). Then y = out(rms(o) * silu(z)), with the norm over the E numbers of a head.
struct GatedDeltaNetSpec {
  /// K, a divisor of H: value head h uses key head floor(h K / H).
  std::size_t key_heads = 16;
  /// H.
  std::size_t value_heads = 32;
  /// D.
  std::size_t key_dim = 128;
  /// E.
  std::size_t value_dim = 128;
  /// w: tokens that the convolution reads.
  std::size_t width = 4;
  /// The activation behind the convolution.
  Activation activation = Activation::silu;

  /// Channels of the convolution.
  std::size_t channels() const { return 2 * key_heads * key_dim + value_heads * value_dim; }
  /// Numbers that a layer keeps from token to token: inputs of the convolution, and S of all heads.
  std::size_t state() const { return (width - 1) * channels() + value_heads * key_dim * value_dim; }
};

/// A convolution along the sequence, as a term beside a layer: x = N(y + act(conv(x))), where the layer made y of x
/// (DeBERTa v2 XLarge). Hidden states of padding are 0 after it. Such a model is not trained.
struct ConvolutionSpec {
  /// Tokens that it reads, an odd number.
  std::size_t width = 3;
  /// G, a divisor of C: output channel c reads the C / G input channels of its group, floor(c G / C).
  std::size_t groups = 1;
  /// The activation behind it.
  Activation activation = Activation::tanh;
};

/// Inputs of the layers beside their hidden states (Gemma 4): P numbers for each token and layer. With e the vector that the
/// first layer reads, and t_l the part for layer l of the token's row in a table of its own,
///   i_l = (RMSNorm((W e)_l / sqrt(C)) + scale t_l) / sqrt(2),    at the end of layer l:  x = x + N(out(act(gate(x)) * i_l)),
/// where act is the activation of the feed-forward network. Such a model runs as a decoder alone.
struct LayerInputSpec {
  /// P; 0: there are none.
  std::size_t width = 0;
  /// Rows of the table, at least V.
  std::size_t vocabulary = 0;
  /// Factor of its numbers; rounded where EmbeddingSpec::rounds_scale is true.
  double scale = 1;
};

/// The fields in which the layers of a model differ.
struct LayerSpec {
  /// Index into positions::Rope::ropes; unset: the layer does not rotate.
  std::optional<std::size_t> rope = 0;
  /// w: a query sees the keys with |i - j| <= w, in a causal model those with 0 <= i - j < w. Unset: all.
  std::optional<std::size_t> window = {};
  /// D of this layer; 0: that of AttentionSpec.
  std::size_t head_dim = 0;
  /// K of this layer; 0: that of AttentionSpec.
  std::size_t key_heads = 0;
  /// F of this layer; 0: that of FeedForwardSpec.
  std::size_t width = 0;
  /// True if the layer has no matrix of values: they are the keys before their norm (Gemma 4). Such a model runs as a
  /// decoder alone.
  bool values_are_keys = false;
  /// A layer before this one, whose keys and values this one attends to in the place of its own (Gemma 4). It has the same
  /// heads and the same rope. Such a model runs as a decoder alone.
  std::optional<std::size_t> keys_of = {};
  /// True if there is a norm before attention (NormPlacement other than post): ModernBERT's first layer has
  /// none.
  bool attention_norm = true;
  /// True if the feed-forward network is a mixture of experts.
  bool experts = false;
  /// True if a short convolution stands in the place of attention.
  bool short_convolution = false;
  /// True if a gated delta net stands there.
  bool gated_delta_net = false;
  /// True if Spec::convolution is beside the layer.
  bool convolution = false;
};

/// The hidden states that a head of the whole sequence reads: the first token's, the last one's or the mean.
enum class Pooled : std::uint8_t { first, last, mean };

/// An output of the model. A field counts for the kinds of head that have the part it describes.
struct HeadSpec {
  /// "contact", "masked_lm", "causal_lm", "sequence_classification", "token_classification", "span", "choice" or
  /// "logit_score".
  std::string kind;
  /// The hidden states that the head reads.
  Pooled pooled = Pooled::first;
  /// True if a linear layer, an activation and perhaps a norm come before the last linear layer.
  bool dense = false;
  /// True if that linear layer has a bias.
  bool dense_bias = true;
  /// The activation behind that layer.
  Activation activation = Activation::gelu;
  /// True if a norm follows it.
  bool norm = false;
  /// True if the last layer has a bias.
  bool bias = true;
  /// True if its weight is the table of word vectors.
  bool tied = false;
  /// True if the mean is taken of the logits of all tokens, rather than of the hidden states.
  bool late = false;
  /// Factor of the logits of words, before a cap (Cohere, Granite).
  double scale = 1;
  /// c: logits of words become c tanh(logit / c) (Gemma 2). 0: no cap.
  double soft_cap = 0;
  /// "logit_score": the word whose logit at the last token is the score, as in "yes".
  std::size_t true_token = 0;
  /// The word whose logit is subtracted, as in "no"; unset: none.
  std::optional<std::size_t> false_token = {};
};

/// A model as data.
struct Spec {
  /// One of families(). It decides the names of tensors in a checkpoint, and the heads that one may hold.
  std::string family = "roformer";
  /// V.
  std::size_t vocabulary = 50000;
  /// C.
  std::size_t hidden = 768;
  /// The embedding.
  EmbeddingSpec embedding = {};
  /// Kind and parts of every norm of the model.
  NormSpec norm = {};
  /// The place of the norms in a layer.
  NormPlacement placement = NormPlacement::post;
  /// Factor of A and F, before they are added to x (Granite).
  double branch_scale = 1;
  /// The attention of every layer.
  AttentionSpec attention = {};
  /// The feed-forward network of every layer.
  FeedForwardSpec feed_forward = {};
  /// The short convolution of every layer that has one.
  ShortConvolutionSpec short_convolution = {};
  /// The gated delta net of every layer that has one.
  GatedDeltaNetSpec gated_delta_net = {};
  /// True if a checkpoint holds the matrices of attention and of the feed-forward network transposed, (inputs, outputs), as
  /// the class Conv1D of Transformers does (GPT-2). Such a model is not trained.
  bool transposed = false;
  /// Inputs of the layers beside their hidden states.
  LayerInputSpec layer_inputs = {};
  /// True if the checkpoint holds a number for each layer, which multiplies what the layer makes (Gemma 4). Such a model
  /// runs as a decoder alone.
  bool layer_factors = false;
  /// How positions enter the model.
  PositionSpec positions = {};
  /// L layers.
  std::vector<LayerSpec> layers = std::vector<LayerSpec>(12);
  /// The convolution of layers that have one.
  ConvolutionSpec convolution = {};
  /// True if a norm follows the last layer.
  bool final_norm = false;
  /// False if that norm has no b, although others have (ESM-C).
  bool final_norm_bias = true;
  /// Heads that the model has for certain. A checkpoint may hold more, and a trainer adds that of its
  /// objective, as far as the family has names for their tensors.
  std::vector<HeadSpec> heads = {};
  /// Shapes of other heads, if a checkpoint holds them or a trainer adds one, where they differ from what is
  /// usual for the family.
  std::vector<HeadSpec> possible_heads = {};
  /// True if the word vectors are also the weight of a head that predicts words.
  bool tied = true;
  /// Classes of a classification head.
  std::size_t labels = 2;
  /// The activation that turns the logits of a sequence classification head into a relevance: linear or sigmoid.
  /// Unset: a sigmoid where there is one class, else linear.
  std::optional<Activation> relevance = {};
  /// The id of padding, if there is one.
  std::optional<std::size_t> padding_id = 0;
  /// The id that ends a text, which contacts leave out.
  std::optional<std::int32_t> end_id = {};
  /// Probability in training that an entry of a hidden state is 0.
  double hidden_dropout = 0.1;
  /// Probability in training that an entry of the attention is 0.
  double attention_dropout = 0.1;
  /// Standard deviation of initial weights.
  double initializer_range = 0.02;

  /// One sentence for each key of the configuration that nothing reads, and for each assumption.
  std::vector<std::string> notes = {};

  /// E.
  std::size_t embedding_width() const { return embedding.width == 0 ? hidden : embedding.width; }
  /// D.
  std::size_t head_dim() const {
    return attention.head_dim == 0 ? hidden / attention.heads : attention.head_dim;
  }
  /// K.
  std::size_t key_heads() const { return attention.key_heads == 0 ? attention.heads : attention.key_heads; }
  /// D of a layer.
  std::size_t head_dim(std::size_t layer) const {
    return layers[layer].head_dim == 0 ? head_dim() : layers[layer].head_dim;
  }
  /// K of a layer.
  std::size_t key_heads(std::size_t layer) const {
    return layers[layer].key_heads == 0 ? key_heads() : layers[layer].key_heads;
  }
};

/// Reads config.json by its `model_type` ("roformer" where it has none). Keys it does not know are ignored,
/// as Hugging Face does. type error for text that is not a JSON object or a known key of the wrong type,
/// range error for values out of range, unsupported for what the file asks for and is not done; each names
/// the key.
Result<Spec> spec_from_config(std::string_view json);

/// Names of the families, as in Spec::family.
std::vector<std::string_view> families();

}  // namespace ropewalk

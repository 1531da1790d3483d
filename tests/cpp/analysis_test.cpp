// Decay, scores, the Hilbert pair, turns, explanations and the fit, against golden values and what defines
// them.

#include "ropewalk/analysis.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "golden.hpp"
#include "rope/analysis/curve_error.hpp"
#include "test_data.hpp"

namespace ropewalk {
namespace analysis_test {

std::vector<double> doubles(const std::vector<float>& values) { return {values.begin(), values.end()}; }

std::vector<double> up_to(int count) {
  std::vector<double> distances;
  for (int n = 0; n < count; ++n) distances.push_back(n);
  return distances;
}

TEST(Decay, HoldsTheGoldenValues) {
  int checked = 0;
  const auto file = golden::read("rope/analysis.json");
  for (const auto& each : file["cases"]) {
    if (each["kind"] != "decay-bound") continue;
    const RopeOptions options{.head_dim = each["head_dim"],
                              .frequencies = frequencies::Default{.base = each["base"]}};
    const auto expected = each["value"].get<std::vector<double>>();
    const auto got = decay(options, each["distances"].get<std::vector<double>>());
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], 1e-12 * expected[i]);
    ++checked;
  }
  EXPECT_EQ(checked, 2);
}

TEST(Decay, BoundsTheScore) {
  TestData sample(1);
  const RopeOptions options{.head_dim = 32};
  const std::vector<double> distances = up_to(300);
  const std::vector<double> q = doubles(sample.floats(32)), k = doubles(sample.floats(32));
  const Score got = score(options, q, k, distances);
  const std::vector<double> means = decay(options, distances);
  // max |h_{i+1} - h_i| with h_{d/2} = 0
  double step = 0;
  for (std::size_t j = 0; j < 16; ++j) {
    const auto h = [&](std::size_t i) {
      if (i == 16) return std::pair{0.0, 0.0};
      return std::pair{q[2 * i] * k[2 * i] + q[2 * i + 1] * k[2 * i + 1],
                       q[2 * i + 1] * k[2 * i] - q[2 * i] * k[2 * i + 1]};
    };
    step = std::max(step, std::hypot(h(j + 1).first - h(j).first, h(j + 1).second - h(j).second));
  }
  for (std::size_t i = 0; i < distances.size(); ++i)
    EXPECT_LE(std::fabs(got.score[i]), step * 16 * means[i] * 1.0000001);
}

TEST(Score, HoldsTheGoldenReceptiveField) {
  int checked = 0;
  const auto file = golden::read("rope/analysis.json");
  for (const auto& each : file["cases"]) {
    if (each["kind"] != "receptive-field-score") continue;
    RopeOptions options{.head_dim = each["head_dim"]};
    options.frequencies =
        frequencies::ReceptiveField{.alpha = each["alpha"].get<double>(), .rho = each["rho"].get<double>()};
    const Score got =
        score(options, each["q"].get<std::vector<double>>(), each["k"].get<std::vector<double>>(),
              each["distances"].get<std::vector<double>>());
    EXPECT_NEAR(got.phi, each["phi"].get<double>(), 1e-17);
    EXPECT_EQ(got.unrotated, 0);
    const auto a = each["a_prime"].get<std::vector<double>>(), b = each["b_prime"].get<std::vector<double>>();
    const auto s = each["score"].get<std::vector<double>>();
    for (std::size_t i = 0; i < s.size(); ++i) {
      EXPECT_NEAR(got.in_phase[i], a[i], 1e-12);
      EXPECT_NEAR(got.quadrature[i], b[i], 1e-12);
      EXPECT_NEAR(got.score[i], s[i], 1e-12);
    }
    ++checked;
  }
  EXPECT_EQ(checked, 1);
}

TEST(Score, IsTheProductOfRotatedHeads) {
  TestData sample(2);
  const std::size_t D = 22, heads = 3;
  std::vector<RopeOptions> cases;
  for (const Pairing pairing : {Pairing::interleaved, Pairing::half}) {
    RopeOptions options{.head_dim = D, .rotary_dim = 16, .rotary_offset = 3, .pairing = pairing};
    cases.push_back(options);
    options.frequencies = frequencies::Yarn{.factor = 4, .original_max_positions = 64};  // magnitude 1.14
    cases.push_back(options);
    options.frequencies = frequencies::ReceptiveField{.alpha = std::vector{0.1, 0.5, 0.9}, .rho = 0.25};
    cases.push_back(options);
    options.xpos = XPos{.scale_base = 64, .centre = 7};
    cases.push_back(options);
    options.xpos.reset();
    options.axes = Axes{.sections = {3, 5}, .restart_frequencies = true};
    options.frequencies = frequencies::Linear{.factor = 2};
    cases.push_back(options);
    std::vector<double> mixed;
    for (float each : sample.floats(2 * heads * 8)) mixed.push_back(each);
    options.axes = Axes{.sections = {8, 8}};
    options.frequencies = frequencies::Custom{.frequencies = mixed};
    cases.push_back(options);
  }
  for (std::size_t c = 0; c < cases.size(); ++c) {
    const Rope rope(cases[c]);
    const std::size_t own = rope.width() / 8;
    const auto q = sample.floats(heads * D), k = sample.floats(heads * D);
    std::vector<float> rotated_q(q.size()), rotated_k(k.size());
    for (const double n : {-30.0, -1.0, 0.0, 2.5, 40.0}) {
      const std::vector<double> at{5 + n}, from{5};
      rope.rotate(q, rotated_q, {.sequence = 1, .heads = heads, .positions = at}, Role::query);
      rope.rotate(k, rotated_k, {.sequence = 1, .heads = heads, .positions = from}, Role::key);
      for (std::size_t h = 0; h < heads; ++h) {
        double expected = 0;
        for (std::size_t i = h * D; i < (h + 1) * D; ++i) expected += double{rotated_q[i]} * rotated_k[i];
        const auto head = [&](const auto& x) {
          return std::vector<double>(x.begin() + static_cast<long>(h * D),
                                     x.begin() + static_cast<long>((h + 1) * D));
        };
        const Score got = score(cases[c], head(q), head(k), std::vector{n}, own == 1 ? 0 : h);
        EXPECT_NEAR(got.score[0], expected, 2e-5) << "case " << c << " head " << h << " distance " << n;
        if (!cases[c].xpos) {
          EXPECT_NEAR(got.score[0],
                      got.unrotated + std::cos(n * got.phi) * got.in_phase[0] -
                          std::sin(n * got.phi) * got.quadrature[0],
                      1e-12);
        }
      }
    }
  }
}

TEST(HilbertError, SeesThatTheQuadratureIsTheTransformOfThePhase) {
  TestData sample(3);
  std::vector<double> distances;
  for (int n = -40; n <= 40; n += 8) distances.push_back(n);
  for (const double base : {100.0, 10000.0}) {
    for (const double alpha : {0.0, 0.2, 0.4}) {
      RopeOptions options{.head_dim = 32};
      options.frequencies = frequencies::ReceptiveField{.base = base, .alpha = alpha, .rho = 0.5};
      const auto q = doubles(sample.floats(32)), k = doubles(sample.floats(32));
      const HilbertCheck check = hilbert_error(options, q, k, distances);
      EXPECT_TRUE(check.holds()) << base << " " << alpha << ": " << check.error << " > " << check.bound;
      EXPECT_LT(check.bound, 2e-9) << base << " " << alpha;
    }
  }
}

TEST(HilbertError, SaysHowMuchANarrowWindowHides) {
  TestData sample(4);
  const RopeOptions options{.head_dim = 64, .frequencies = frequencies::Default{.base = 500000}};
  const auto q = doubles(sample.floats(64)), k = doubles(sample.floats(64));
  const HilbertCheck check = hilbert_error(options, q, k, std::vector{0.0, 3.0, 17.0}, 0, 1 << 14);
  EXPECT_TRUE(check.holds());
  EXPECT_GT(check.bound, 0.01);
  EXPECT_GT(check.error, 1e-4);
}

TEST(HilbertError, SeesWhereItIsNot) {
  TestData sample(5);
  const auto q = doubles(sample.floats(8)), k = doubles(sample.floats(8));
  const std::vector<double> distances{1, 2, 3};
  const auto holds = [&](std::vector<double> theta) {
    RopeOptions options{.head_dim = 8};
    options.frequencies = frequencies::Custom{.frequencies = std::move(theta)};
    return hilbert_error(options, q, k, distances).holds();
  };
  EXPECT_TRUE(holds({1, 0.5, 0.25, 0.1}));
  EXPECT_TRUE(holds({40, 0.5, 0.25, 0.1}));  // faster than whole distances show
  EXPECT_FALSE(holds({1, 0.5, 0.25, 0}));
  EXPECT_FALSE(holds({1, 0.5, -0.25, 0.1}));
}

TEST(Turns, CountsThem) {
  const RopeOptions options{.head_dim = 64};
  const Turns got = turns(options, 2048);
  const Rope rope(options);
  ASSERT_EQ(got.turns.size(), 32u);
  for (std::size_t j = 0; j < 32; ++j) {
    EXPECT_NEAR(got.turns[j] * rope.wavelengths()[j], 2048, 1e-9);
    const bool listed = std::ranges::find(got.incomplete, j) != got.incomplete.end();
    EXPECT_EQ(listed, rope.wavelengths()[j] > 2048);
  }
  // Qwen-sized: d = 128, base 10^6, 32768 positions.
  EXPECT_EQ(
      turns({.head_dim = 128, .frequencies = frequencies::Default{.base = 1e6}}, 32768).incomplete.front(),
      40u);
}

TEST(EffectiveReceptiveField, IsTheFirstCrossing) {
  for (const std::size_t head_dim : {4, 16, 64, 128}) {
    for (const double threshold : {0.9, 0.5, 0.3}) {
      const RopeOptions options{.head_dim = head_dim};
      const double found = effective_receptive_field(options, threshold, 20000);
      const auto kernel = [&, theta = Rope(options).wavelengths()](double n) {
        double sum = 0;
        for (double wavelength : theta) sum += std::cos(2 * std::numbers::pi * n / wavelength);
        return sum / static_cast<double>(theta.size());
      };
      ASSERT_LT(found, 20000);
      EXPECT_NEAR(kernel(found), threshold, 1e-5);
      for (double n = 0; n < found - 1e-3; n += 0.01)
        ASSERT_GE(kernel(n), threshold) << head_dim << " at " << n;
    }
  }
  // One frequency: arccos(threshold) / theta.
  RopeOptions options{.head_dim = 2};
  options.frequencies = frequencies::Custom{.frequencies = {0.001}};
  EXPECT_NEAR(effective_receptive_field(options), std::numbers::pi / 3 / 0.001, 1e-2);
  EXPECT_EQ(effective_receptive_field(options, 0.5, 1000), std::numeric_limits<double>::infinity());
  options.frequencies = frequencies::Custom{.frequencies = {0}};
  EXPECT_EQ(effective_receptive_field(options), std::numeric_limits<double>::infinity());
  // Three quarters of the pairs stand still, so that the mean cannot fall below a half.
  const RopeOptions still{.head_dim = 64, .frequencies = frequencies::Proportional{.fraction = 0.25}};
  EXPECT_EQ(effective_receptive_field(still, 0.45, 10000), std::numeric_limits<double>::infinity());
  // K(n) = zeta^(n / 512), which only falls: steps that became as short as K would not come to an end.
  RopeOptions falling{.head_dim = 2, .xpos = XPos{}};
  falling.frequencies = frequencies::Custom{.frequencies = {0}};
  const double farthest = 512 * std::log(1e-200) / std::log(0.8 / 2.8);
  EXPECT_NEAR(effective_receptive_field(falling, 1e-200, 0x1p32), farthest, 1e-2);
  EXPECT_EQ(effective_receptive_field(falling, 0, 0x1p32), std::numeric_limits<double>::infinity());
}

TEST(Explain, TellsWhatLlama3Did) {
  const RopeOptions options{
      .head_dim = 128,
      .pairing = Pairing::half,
      .frequencies = frequencies::Llama3{.base = 500000, .factor = 8, .original_max_positions = 8192}};
  const Explanation got = explain(options, 131072.0);
  EXPECT_EQ(
      got.text,
      "Heads of 128 channels, all rotated, as 64 pairs (j, j + 64).\n"
      "Rule \"llama3\": pairs with more than 4 turns in 8192 positions are kept, those with less than 1 are "
      "divided by 8, those in between are blended.\n"
      "Pairs 0 to 28: kept, wavelengths 6.283 to 1956 positions.\n"
      "Pairs 29 to 34: blended, theta divided by 1.207 to 5.257, wavelengths 2900 to 35200 positions.\n"
      "Pairs 35 to 63: divided by factor, theta divided by 8, wavelengths 65750 to 20470000 positions.\n"
      "Attention scaling 1: this rule does not use it.\n"
      "Without the rule these make less than one turn in the original 8192 positions: pairs 35 to 63.\n"
      "These make less than one turn in a context of 131072 positions: pairs 39 to 63.\n");
  ASSERT_EQ(got.pairs.size(), 64u);
  EXPECT_EQ(got.pairs[28].band, "kept");
  EXPECT_EQ(got.pairs[29].band, "blended");
  EXPECT_EQ(got.pairs[35].pair, 35u);
  EXPECT_NEAR(got.pairs[35].scaled_by, 0.125, 1e-15);
  EXPECT_NEAR(got.pairs[35].theta, 9.556212e-5, 1e-11);
  EXPECT_NEAR(got.pairs[35].wavelength * got.pairs[35].theta, 2 * std::numbers::pi, 1e-12);
  EXPECT_EQ(got.magnitude, 1);
}

TEST(Explain, TellsEveryRule) {
  const auto contains = [](const Explanation& got, const std::string& words) {
    EXPECT_NE(got.text.find(words), std::string::npos) << got.text;
  };
  RopeOptions options{.head_dim = 8};
  contains(
      explain(options),
      "Rule \"default\": theta_j = 10000^(-2j/8).\nPairs 0 to 3: wavelengths 6.283 to 6283 positions.\n");
  options.frequencies = frequencies::Linear{.factor = 4};
  contains(explain(options), "Pairs 0 to 3: theta divided by 4, wavelengths 25.13 to 25130 positions.\n");
  options.frequencies = frequencies::Ntk{.factor = 8};
  contains(explain(options), "theta divided by 1 to 8, ");
  options.frequencies = frequencies::Dynamic{.factor = 2, .max_positions = 100, .sequence_length = 50};
  contains(explain(options), "less than one turn in the original 100 positions: pairs 2 to 3.\n");
  options.frequencies = frequencies::Yarn{.factor = 4, .original_max_positions = 4096};
  EXPECT_NEAR(explain(options).magnitude, 1.1386294361119891, 1e-15);
  EXPECT_EQ(explain(options).magnitude_source, "0.1 ln(factor) + 1");
  contains(explain(options), "Attention scaling 1.139: 0.1 ln(factor) + 1.\n");
  frequencies::LongRope longrope;
  longrope.short_factor = {1, 1, 1, 1};
  longrope.long_factor = {1, 2, 3, 4};
  longrope.original_max_positions = 4096;
  longrope.sequence_length = 4097;
  options.frequencies = longrope;
  contains(explain(options), "4097 tokens are more than original_max_positions = 4096");
  EXPECT_NEAR(explain(options).pairs[3].scaled_by, 0.25, 1e-15);
  options.frequencies = frequencies::Proportional{.fraction = 0.5};
  contains(explain(options), "Pairs 2 to 3: standing still, theta is 0, no turn ever.\n");
  options.frequencies = frequencies::ReceptiveField{.alpha = std::vector{0.25, 0.5}, .rho = 0.5};
  contains(explain(options), "Head 1, pairs 0 to 3: theta times ");
  EXPECT_EQ(explain(options).pairs[5].head, 1u);
  EXPECT_EQ(explain(options).pairs[5].pair, 1u);
  options.frequencies = frequencies::Custom{.frequencies = {1, 2, 3, 4}, .magnitude = 2};
  contains(explain(options), "Attention scaling 2: given.\n");

  options.frequencies = frequencies::Default{};
  options.axes = Axes{.sections = {1, 3}, .order = Axes::Order::chunked, .restart_frequencies = true};
  contains(explain(options),
           "2 position axes, which rotate 1 and 3 pairs, one axis after the other; the rule begins anew for "
           "each.\n");
  contains(explain(options), "Axis 1, pairs 1 to 3: ");
  options.axes->sections = {2, 2};
  options.axes->order = Axes::Order::interleaved;
  const Explanation interleaved = explain(options);
  contains(interleaved, "Axis 1, pairs 1 to 3 (2 of them): ");
  const Rope rope(options);
  for (const auto& each : interleaved.pairs) EXPECT_EQ(each.theta, rope.frequencies()[each.pair]);
  options.axes = Axes{.sections = {4, 4}};
  options.frequencies = frequencies::Custom{.frequencies = std::vector<double>(16, 0.5)};
  EXPECT_EQ(explain(options).pairs[13].axis, 1u);
  EXPECT_EQ(explain(options).pairs[13].head, 1u);
  options = {.head_dim = 10, .rotary_dim = 4, .rotary_offset = 2, .xpos = XPos{}};
  contains(explain(options), "Heads of 10 channels, 4 rotated from channel 2 on, as 2 pairs (2j, 2j + 1).\n");
  contains(explain(options), "xPos: ");
}

std::vector<double> curve(std::size_t head_dim, double alpha, double rho,
                          const std::vector<double>& distances) {
  std::vector<double> values;
  for (double n : distances) {
    double sum = 0;
    for (std::size_t j = 0; j < head_dim / 2; ++j) {
      const double own = std::pow(10000, -2.0 * static_cast<double>(j) / static_cast<double>(head_dim));
      sum += std::cos(n * (alpha / std::pow(10000, rho) + (1 - alpha) * own));
    }
    values.push_back(sum / static_cast<double>(head_dim / 2));
  }
  return values;
}

TEST(FitReceptiveField, HasTheGradientOfItsError) {
  const Rope rope({.head_dim = 16});
  const std::vector<double> distances = up_to(50), wanted = curve(16, 0.4, 0.4, distances);
  const auto error = [&](double alpha, double phi) {
    return analysis::curve_error(rope.frequencies(), distances, wanted, {alpha, phi});
  };
  for (const auto& [alpha, rho] : {std::pair{0.3, 0.2}, {0.7, 0.6}, {0.05, 0.1}, {0.95, 1.0}}) {
    const double step = 1e-6, phi = analysis::FieldPoint::from_rho(alpha, rho).phi;
    const analysis::CurveError at = error(alpha, phi);
    const double by_alpha = (error(alpha + step, phi).value - error(alpha - step, phi).value) / (2 * step);
    const double by_phi = (error(alpha, phi + step).value - error(alpha, phi - step).value) / (2 * step);
    EXPECT_NEAR(at.d_alpha, by_alpha, 1e-7 * (1 + std::fabs(by_alpha)));
    EXPECT_NEAR(at.d_phi, by_phi, 1e-6 * (1 + std::fabs(by_phi)));
    EXPECT_NEAR((analysis::FieldPoint{alpha, phi}).rho(), rho, 1e-15);
  }
}

TEST(FitReceptiveField, FindsTheAlphaAndRhoThatMadeACurve) {
  for (const std::size_t head_dim : {8, 64}) {
    for (const int length : {40, 200}) {
      const std::vector<double> distances = up_to(length);
      for (const double alpha : {0.05, 0.5, 0.97}) {
        for (const double rho : {0.0, 0.2, 0.6, 1.0}) {
          const auto wanted = curve(head_dim, alpha, rho, distances);
          const ReceptiveFieldFit fit = fit_receptive_field(distances, wanted, {.head_dim = head_dim});
          // A shared frequency that turns less than 1/1000 radian in all can hardly be told from none.
          const bool visible = alpha * std::pow(10000, -rho) * length > 1e-3;
          EXPECT_NEAR(fit.alpha(), alpha, 1e-3) << head_dim << " " << length << " " << alpha << " " << rho;
          if (visible) {
            EXPECT_NEAR(fit.rho(), rho, 1e-3) << head_dim << " " << length << " " << alpha << " " << rho;
          }
          EXPECT_LT(fit.error(), 1e-5);
        }
      }
    }
  }
}

TEST(FitReceptiveField, FollowsFarDistancesToo) {
  // At no common interval g: with one, phi is known up to 2 pi / g alone.
  std::vector<double> distances;
  for (int i = 0; i < 280; ++i) distances.push_back(-0.5 * i * (i + 1));  // to -39060
  for (const double rho : {0.3, 0.8}) {
    const auto wanted = curve(64, 0.6, rho, distances);
    const ReceptiveFieldFit fit = fit_receptive_field(distances, wanted, {.head_dim = 64});
    EXPECT_NEAR(fit.alpha(), 0.6, 1e-4) << rho;
    EXPECT_NEAR(fit.rho(), rho, 1e-4) << rho;
  }
}

TEST(FitReceptiveField, ComesNearACurveOfAnotherKindStepByStep) {
  const std::vector<double> distances = up_to(128);
  std::vector<double> wanted;
  for (double n : distances) wanted.push_back(std::exp(-n / 60));
  auto fit = raise(ReceptiveFieldFit::make(distances, wanted, {.head_dim = 64}));
  double before = fit.error();
  while (!fit.done()) {
    fit.step(7);
    EXPECT_LE(fit.error(), before);
    before = fit.error();
  }
  EXPECT_LE(fit.steps_done(), fit.steps());
  // No point of a fine grid is nearer.
  const Rope rope({.head_dim = 64});
  for (double alpha = 0; alpha <= 1; alpha += 0.02) {
    for (double rho = 0; rho <= 2; rho += 0.02) {
      const auto at = analysis::FieldPoint::from_rho(alpha, rho);
      const double value = analysis::curve_error(rope.frequencies(), distances, wanted, at).value;
      EXPECT_LE(fit.error(), std::sqrt(2 * value) + 1e-9) << alpha << " " << rho;
    }
  }
  const ReceptiveFieldFit again = fit_receptive_field(distances, wanted, {.head_dim = 64});
  EXPECT_EQ(again.alpha(), fit.alpha());
  EXPECT_EQ(again.rho(), fit.rho());
}

TEST(Analysis, RefusesWhatItCannotDo) {
  const RopeOptions options{.head_dim = 4};
  const std::vector<double> q{1, 2, 3, 4}, one{1}, none, nan{0, std::nan("")};
  const auto message = [](const auto& result) { return result.status().message(); };
  EXPECT_EQ(message(try_decay(options, none)),
            "decay: `distances` is an empty array; allowed: at least one distance");
  EXPECT_EQ(message(try_decay(options, nan)),
            "decay: `distances[1]` is NaN; allowed: a finite number from -4294967296 to 4294967296");
  EXPECT_EQ(message(try_decay(options, one, 1)),
            "decay: `head` is 1; allowed: 0, since all heads share their frequencies");
  EXPECT_EQ(message(try_decay({.head_dim = 0}, one)),
            "rope: `head_dim` is 0; allowed: a whole number from 1 to 65536");
  EXPECT_EQ(message(try_score(options, one, q, one)),
            "score: `q` is an array of 1 numbers; allowed: head_dim = 4 numbers");
  EXPECT_EQ(message(try_score(options, q, std::vector<double>{1, 2, std::nan(""), 4}, one)),
            "score: `k[2]` is NaN; allowed: a finite number");
  EXPECT_EQ(message(try_hilbert_error(options, q, q, std::vector{0.5})),
            "hilbert_error: `distances[0]` is 0.5; allowed: a whole number");
  EXPECT_EQ(message(try_hilbert_error(options, std::vector<double>(4, 0), q, one)),
            "hilbert_error: `q` is orthogonal to `k` in every pair; allowed: a query that meets the key in "
            "some pair");
  EXPECT_EQ(message(try_hilbert_error(options, q, q, std::vector{0.0, 2000.0}, 0, 1024)),
            "hilbert_error: `distances` is spread over 2000 positions; allowed: distances that `samples` = "
            "1024 points "
            "reach around");
  EXPECT_EQ(try_hilbert_error({.head_dim = 4, .xpos = XPos{}}, q, q, one).status().code(),
            Status::Code::type);
  EXPECT_EQ(message(try_turns(options, 0)), "turns: `context` is 0; allowed: a finite number above 0");
  EXPECT_EQ(message(try_effective_receptive_field(options, 1)),
            "effective_receptive_field: `threshold` is 1; allowed: a number above -1 and below 1");
  EXPECT_EQ(message(try_effective_receptive_field(options, 0.5, -1)),
            "effective_receptive_field: `limit` is -1; allowed: a number from 0 to 16777216");
  EXPECT_EQ(message(try_explain(options, -3.0)),
            "explain: `context` is -3; allowed: a finite number above 0");

  const std::vector<double> distances{0, 1, 2};
  const auto fit = [&](std::span<const double> at, std::span<const double> values,
                       ReceptiveFieldFitOptions given) {
    return ReceptiveFieldFit::make(at, values, given).status().message();
  };
  EXPECT_EQ(fit(distances, distances, {.head_dim = 3}),
            "fit_receptive_field: `head_dim` is 3; allowed: an even number from 2 to 65536");
  EXPECT_EQ(fit(distances, distances, {.head_dim = 4, .base = 0}),
            "fit_receptive_field: `base` is 0; allowed: a finite number above 0");
  EXPECT_EQ(fit(distances, distances, {.head_dim = 4, .steps = 0}),
            "fit_receptive_field: `steps` is 0; allowed: a whole number from 1 to 1000000");
  EXPECT_EQ(fit(one, one, {.head_dim = 4}),
            "fit_receptive_field: `distances` is an array of 1 numbers; allowed: at least 2");
  EXPECT_EQ(
      fit(distances, nan, {.head_dim = 4}),
      "fit_receptive_field: `values` is an array of 2 numbers; allowed: one for each of the 3 distances");
  EXPECT_EQ(fit(std::vector<double>{0, 1}, nan, {.head_dim = 4}),
            "fit_receptive_field: `values[1]` is NaN; allowed: a finite number");
  EXPECT_THROW(decay(options, none), std::invalid_argument);
}

}  // namespace analysis_test
}  // namespace ropewalk

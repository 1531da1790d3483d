// Every version that set-up asks for or pins, in one place.

/** Older ones lack `Symbol.dispose` in Embind or relaxed SIMD. */
export const EMSCRIPTEN_FLOOR = "5.0.2";
/** Emscripten 6 is written for this Python. */
export const PYTHON_FLOOR = "3.10";
/** Older ones have no WASM architecture that the kernels can use. */
export const XSIMD_FLOOR = "14.3";
export const NODE_FLOOR = "20.19.0";
export const GCC_FLOOR = "11";
export const CLANG_FLOOR = "14";
export const CMAKE_FLOOR = "3.22";

/** The Debian release whose Emscripten is new enough; its packages are unpacked, never installed. */
export const DEBIAN_SUITE = "forky";

/** Packages of PyPI that the tests of the Python package install: what it needs, and what builds its wheel. */
export const PYTHON_PACKAGES = [
  'numpy==2.4.6; python_version >= "3.11"',
  'numpy==2.0.2; python_version < "3.11"',
  'tokenizers==0.23.3; python_version >= "3.11"',
  'tokenizers==0.21.4; python_version < "3.11"',
  'scikit-build-core==1.1.2; python_version >= "3.11"',
  'scikit-build-core==0.11.6; python_version < "3.11"',
];

/** Repositories that are fetched by git if there is no Debian package. */
export const PINNED = {
  emsdk: { tag: "6.0.5", repository: "https://github.com/emscripten-core/emsdk.git" },
  xsimd: { tag: "14.3.0", repository: "https://github.com/xtensor-stack/xsimd.git" },
  nlohmannJson: { tag: "v3.12.0", repository: "https://github.com/nlohmann/json.git" },
  googletest: { tag: "v1.17.0", repository: "https://github.com/google/googletest.git" },
};

/** The first dotted number in a text such as `emcc (Emscripten ...) 6.0.5 (...)`, or null. */
export function versionIn(text) {
  return /\d+(?:\.\d+)+/.exec(text)?.[0] ?? null;
}

/** Compares dotted numbers part by part; a missing part counts as 0. */
export function isAtLeast(version, floor) {
  const have = version.split(".").map(Number);
  const want = floor.split(".").map(Number);
  for (let i = 0; i < want.length; i++) {
    const difference = (have[i] || 0) - want[i];
    if (difference !== 0) return difference > 0;
  }
  return true;
}

/** The documentation needs less than the playground: nothing is fetched but the index of its search, and no WebAssembly runs. */
const policyOf = (styles) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${styles}`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");

const tagOf = (styles) => `<meta http-equiv="Content-Security-Policy" content="${policyOf(styles)}"/>`;

export const policyTag = tagOf("'self'");
/** TypeDoc's script adds a style element that stays empty: this is the hash of nothing at all. */
export const apiPolicyTag = tagOf("'self' 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='");

// The addon for this platform. `load()` of the package ropewalk finds it here; it is of no use to anybody else.
const { existsSync, readdirSync } = require("node:fs");
const { join } = require("node:path");

const prebuilds = join(__dirname, "prebuilds");
const platform = `${process.platform}-${process.arch}`;
const file = join(prebuilds, platform, "ropewalk.node");
if (!existsSync(file)) {
  const built = existsSync(prebuilds) ? readdirSync(prebuilds).sort().join(", ") : "none";
  throw new Error(`ropewalk-native has no build for ${platform}; it has: ${built || "none"}`);
}
module.exports = require(file);

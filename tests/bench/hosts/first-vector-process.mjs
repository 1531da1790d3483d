// A fresh process of Node: node first-vector-process.mjs '<request>'; prints what models/first-vector.mjs gives.
import { readFileSync } from "node:fs";
import { firstVector } from "../models/first-vector.mjs";

console.log(JSON.stringify(await firstVector(JSON.parse(process.argv[2]), readFileSync)));
process.exit(0);

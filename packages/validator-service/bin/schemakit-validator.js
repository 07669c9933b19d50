#!/usr/bin/env node
// Plain syntax of old runtimes, so that an old Node reaches the message instead of a syntax error.
var version = process.versions.node.split('.').map(Number);
if (version[0] < 22 || (version[0] === 22 && version[1] < 19)) {
  console.error(`schemakit-validator needs Node.js 22.19 or newer; this is ${process.versions.node}.`);
  process.exit(1);
} else {
  import('../dist/main.js').then((main) => main.run(process.env));
}

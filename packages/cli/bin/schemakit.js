#!/usr/bin/env node
// Plain syntax of old runtimes, so that an old Node reaches the message instead of a syntax error.
var version = process.versions.node.split('.').map(Number);
var words = process.argv.slice(2);
if (version[0] < 22 || (version[0] === 22 && version[1] < 19)) {
  console.error(`schemakit needs Node.js 22.19 or newer; this is ${process.versions.node}.`);
  process.exit(1);
} else if (words.length === 1 && (words[0] === '--version' || words[0] === '-v')) {
  // Other programs ask for nothing else: loading the command would take longer than the answer.
  process.stdout.write(`${readVersion()}\n`);
} else {
  import('../dist/main.js').then((main) => main.run(words));
}

function readVersion() {
  var file = new URL('../package.json', import.meta.url);
  return JSON.parse(process.getBuiltinModule('node:fs').readFileSync(file, 'utf8')).version;
}

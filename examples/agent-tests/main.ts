// Runs the tests of the agent. The same with the report of Node.js: npx node --test examples/agent-tests/pilot.test.ts

import { run } from 'node:test';
import { fileURLToPath } from 'node:url';

const file = fileURLToPath(new URL('./pilot.test.ts', import.meta.url));
for await (const { type, data } of run({ files: [file] })) {
  if (type === 'test:pass') console.log('passed:', data.name);
  if (type !== 'test:fail') continue;
  console.log('failed:', data.name, data.details.error.cause);
  process.exitCode = 1;
}

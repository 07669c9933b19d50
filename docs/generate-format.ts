// Writes what is made from packages/core/src/format/author: types, JSON Schema files, and the tables in docs/format.md.
// Run it when a test says that a file is out of date: npx node docs/generate-format.ts
import { writeFileSync } from 'node:fs';
import { formatFiles } from './format-files.ts';

for (const [path, text] of await formatFiles()) writeFileSync(new URL(`../${path}`, import.meta.url), text);

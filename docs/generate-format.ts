// Writes what is generated from the JSON Schema files in packages/core/src/schema/format: TypeScript types, lists of fields for the
// rules, the shared definitions in agent.schema.json, and the tables in docs/format.md.
// Run it when a test says that a file is out of date: npx node docs/generate-format.ts
import { writeFileSync } from 'node:fs';
import { formatFiles } from './format-files.ts';

for (const [path, text] of await formatFiles()) writeFileSync(new URL(`../${path}`, import.meta.url), text);

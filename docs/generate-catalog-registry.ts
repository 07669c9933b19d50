// Writes catalog/registry.json. Run it when a test says that the file is out of date: npx node docs/generate-catalog-registry.ts
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { catalogRegistry } from './catalog-registry.ts';

const project = fileURLToPath(new URL('..', import.meta.url));
const file = 'catalog/registry.json';

const formatted = execFileSync('node_modules/.bin/biome', ['format', `--stdin-file-path=${file}`], {
  cwd: project,
  input: JSON.stringify(await catalogRegistry()),
});
writeFileSync(`${project}/${file}`, formatted);

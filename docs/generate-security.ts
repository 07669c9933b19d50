// Writes the tables of attacks in docs/security.md. Run it when a test says that the page is out of date: npx node docs/generate-security.ts
import { readFileSync, writeFileSync } from 'node:fs';
import { fillAttacks } from './security-tables.ts';

const page = new URL('./security.md', import.meta.url);
writeFileSync(page, fillAttacks(readFileSync(page, 'utf8')));

// Writes docs/validator-codes.md. Run it when a test says that the page is out of date: npx node docs/generate-validator-codes.ts
import { writeFileSync } from 'node:fs';
import { validatorCodesPage } from './validator-codes-page.ts';

writeFileSync(new URL('./validator-codes.md', import.meta.url), validatorCodesPage());

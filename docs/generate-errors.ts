// Writes docs/errors.md. Run it when a test says that the page is out of date: npx node docs/generate-errors.ts
import { writeFileSync } from 'node:fs';
import { errorsPage } from './errors-page.ts';

writeFileSync(new URL('./errors.md', import.meta.url), errorsPage());

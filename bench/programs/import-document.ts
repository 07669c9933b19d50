// Imports the document in a file, as `schemakit new` does, and prints what it took as JSON: seconds, processor time and the most memory of the whole process.
import { readFileSync } from 'node:fs';
import { importOpenApi } from '@schemakit/import';

const begun = performance.now();
const { tools, files, omissions } = importOpenApi(readFileSync(process.argv[2] ?? '', 'utf8'), {
  server: 'http://127.0.0.1:8080',
});
const seconds = (performance.now() - begun) / 1000;
const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
process.stdout.write(
  JSON.stringify({
    seconds,
    processorSeconds: (userCPUTime + systemCPUTime) / 1e6,
    megabytes: maxRSS / 1024,
    tools: tools.length,
    files: Object.keys(files).length,
    omissions: omissions.length,
  }),
);

// Answers queries again and again, by the index or by looking at the texts of all tools, and prints what one took in microseconds.
// Arguments: `index` or `scan`, the module, the file of the index, the folder of schemas, and the queries as JSON.
import { pathToFileURL } from 'node:url';

const [side, module = '', file = '', folder = '', list = '[]'] = process.argv.slice(2);
const queries = JSON.parse(list);
const { openToolIndex } = await import(pathToFileURL(module).href);
const index = await openToolIndex({ file, folders: [{ source: 'bench', folder }] });
const texts = (await index.tools()).map((tool) => ({ tool, text: JSON.stringify(tool).toLowerCase() }));
const search = side === 'scan' ? scan : (query) => index.search(query);

await measure(10);
process.stdout.write(JSON.stringify(await measure(20)));

async function measure(rounds) {
  const begun = performance.now();
  const cpuBefore = process.cpuUsage();
  for (let round = 0; round < rounds; round += 1) for (const query of queries) await search(query);
  const { user, system } = process.cpuUsage(cpuBefore);
  const count = rounds * queries.length;
  return { value: ((performance.now() - begun) * 1000) / count, cpu: (user + system) / count };
}

function scan(query) {
  const words = query.toLowerCase().split(/[\s_]+/);
  return texts.filter(({ text }) => words.every((word) => text.includes(word))).slice(0, 10);
}

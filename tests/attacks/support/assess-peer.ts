import { assess } from '@schemakit/validator';

/** Assesses a plain peer, and then a hostile one. Sends the letter of that, and how many megabytes more than at rest it took at most. */
const [plain = '', url = ''] = process.argv.slice(2);
await assess({ url: plain });
globalThis.gc?.();
const atRest = megabytes();
let peak = atRest;
const timer = setInterval(() => {
  peak = Math.max(peak, megabytes());
}, 10);
const { grade } = await assess({ url, timeout: 3000 });
clearInterval(timer);
process.send?.({ letter: grade.letter, megabytes: Math.max(peak, megabytes()) - atRest });
process.disconnect();

function megabytes(): number {
  return process.memoryUsage.rss() / 1024 / 1024;
}

// Runs an agent many times at once in a fresh process, and sends how long that took and the memory that it added at most.
// Arguments: which loop, the address of the model, how many runs.
import { agentLoops } from './agent-loops.ts';

const [side = '', url = '', count = ''] = process.argv.slice(2);
const run = agentLoops[side]?.(url);
if (run === undefined) throw new Error(`there is no loop ${side}`);
// Loads and compiles what every run needs.
await run();

const memory = () => process.memoryUsage.rss() / 1e6;
const before = memory();
let most = before;
const watch = setInterval(() => {
  most = Math.max(most, memory());
}, 10);
const begun = performance.now();
const cpuBefore = process.cpuUsage();
await Promise.all(Array.from({ length: Number(count) }, run));
const { user, system } = process.cpuUsage(cpuBefore);
clearInterval(watch);
process.once('disconnect', () => process.exit());
process.send?.({
  time: { value: performance.now() - begun, cpu: (user + system) / 1000 },
  memory: { value: Math.max(most, memory()) - before, cpu: undefined },
});

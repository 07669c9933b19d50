// A worker of agents in a process of its own, which says how much processor time it has used. Arguments: the address of the model, where
// tasks are stored, runs at once.
import { benchAgents } from './agent-loops.ts';

const [url = '', tasks = '', maxRuns = ''] = process.argv.slice(2);
await benchAgents(url, { tasks, maxRuns: Number(maxRuns) }).work();
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ rounds: 0, cpu: (user + system) / 1000 });
});
process.once('disconnect', () => process.exit());
process.send?.('ready');

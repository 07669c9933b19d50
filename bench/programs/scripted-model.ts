// The model behind the measured agents: calls `add` in every round but the last. Argument: milliseconds that it takes, by default none.
// Says how many rounds it has made.
import { setTimeout as sleep } from 'node:timers/promises';
import { createScriptedModel } from '@schemakit/agent-server/testing';
import { rounds } from './agent-loops.ts';

const milliseconds = Number(process.argv[2] ?? 0);
let made = 0;
const { url } = await createScriptedModel({
  async respond({ messages }) {
    if (milliseconds > 0) await sleep(milliseconds);
    made += 1;
    const round = messages.filter(({ calls }) => calls.length > 0).length + 1;
    if (round === rounds) return { calls: [{ name: 'submit_answer', args: { sum: 3 } }] };
    return { text: 'I add.', calls: [{ name: 'add', args: { one: round, other: 2 } }] };
  },
});
process.on('message', () => process.send?.({ rounds: made, cpu: 0 }));
process.once('disconnect', () => process.exit());
process.send?.({ url });

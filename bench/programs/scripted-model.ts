// The model behind the measured agents: calls `add` in every round but the last, without any delay.
import { createScriptedModel } from '@schemakit/agent-server/testing';
import { rounds } from './agent-loops.ts';

const { url } = await createScriptedModel({
  respond({ messages }) {
    const round = messages.filter(({ calls }) => calls.length > 0).length + 1;
    if (round === rounds) return { calls: [{ name: 'submit_answer', args: { sum: 3 } }] };
    return { text: 'I add.', calls: [{ name: 'add', args: { one: round, other: 2 } }] };
  },
});
process.once('disconnect', () => process.exit());
process.send?.({ url });

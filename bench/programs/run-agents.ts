// Runs an agent again and again. Arguments: which loop, and the address of the model.
import { answerCallQuestions } from '../processes/measure-calls.ts';
import { agentLoops } from './agent-loops.ts';

const [side = '', url = ''] = process.argv.slice(2);
const run = agentLoops[side]?.(url);
if (run === undefined) throw new Error(`there is no loop ${side}`);
answerCallQuestions({ run });

import { setTimeout as wait } from 'node:timers/promises';
import { type McpOverHttp, mcpOverHttp, messageIn } from '../processes/mcp-over-http.ts';
import { createRandom, type Random } from '../schemas/random.ts';
import { type Outcomes, tally } from './outcomes.ts';

/** Longer than any call may take; one that takes longer was not answered. */
const patienceMs = 45_000;
const toolCount = 1000;

/** Calls, lists, cancels and begins sessions anew until the end; tells what became of each. */
export async function runClient(
  { port, index, isStateless, end }: { port: number; index: number; isStateless: boolean; end: number },
  outcomes: Outcomes,
): Promise<void> {
  const random = createRandom(index);
  const client = mcpOverHttp({ port, isStateless, connections: 4 });
  try {
    await client.begin();
    while (performance.now() < end) {
      const lot = random.whole(1, 100);
      if (lot <= 80) await call(client, random, { isStateless, outcomes, limit: random.whole(1, 20) });
      else if (lot <= 90)
        await call(client, random, { isStateless, outcomes, limit: 50, cancelAfter: random.whole(1, 30) });
      else if (lot <= 95) await list(client, outcomes);
      else if (lot <= 98) await wait(random.whole(10, 200));
      else await beginAnew(client, outcomes);
      await wait(random.whole(5, 40));
    }
  } catch (error) {
    tally(outcomes.wrong, `client ${isStateless ? 'stateless' : 'with sessions'}: ${describe(error)}`);
  } finally {
    await client.close();
  }
}

async function beginAnew(client: McpOverHttp, { counts }: Outcomes): Promise<void> {
  await client.end();
  await client.begin();
  counts.sessions += 1;
}

async function list(client: McpOverHttp, { counts, wrong }: Outcomes): Promise<void> {
  const { tools } = await client.request('tools/list');
  if (Array.isArray(tools) && tools.length === toolCount) counts.lists += 1;
  else tally(wrong, 'a list is not whole');
}

async function call(
  client: McpOverHttp,
  random: Random,
  options: { isStateless: boolean; outcomes: Outcomes; limit: number; cancelAfter?: number },
): Promise<void> {
  const { isStateless, limit, cancelAfter } = options;
  const { counts, causes, wrong } = options.outcomes;
  const place = random.whole(0, toolCount - 1);
  const params = { name: toolName(place), arguments: { q: `station ${random.whole(1, 1e6)}`, limit } };
  const leaving = new AbortController();
  const signal = AbortSignal.any([leaving.signal, AbortSignal.timeout(patienceMs)]);
  let id = 0;
  const answer = client.post('tools/call', params, {
    signal,
    onSent: (sent) => {
      id = sent;
    },
  });
  if (cancelAfter !== undefined) {
    answer.catch(() => {});
    await wait(cancelAfter);
    // Stateless, to go is to cancel; in a session it has to be said.
    if (!isStateless) await client.post('notifications/cancelled', { requestId: id, reason: 'soak' });
    leaving.abort();
    counts.cancelled += 1;
    return;
  }
  try {
    const { status, text } = await answer;
    const { result, error } = JSON.parse(messageIn(text));
    const [{ text: words = '' } = {}] = result?.content ?? [];
    if (status !== 200 || error !== undefined) tally(wrong, `${status} ${text}`);
    else if (result.isError !== true && words.includes('Leipzig Hauptbahnhof')) counts.answered += 1;
    else if (result.isError === true && words !== '') {
      counts['failed with its cause'] += 1;
      tally(causes, words);
    } else tally(wrong, `an answer that says nothing: ${text}`);
  } catch (error) {
    tally(wrong, `no answer: ${describe(error)}`);
  }
}

/** As `describeDepartures` names its schemas: ten tools in each. */
function toolName(place: number): string {
  const letters = [...String(Math.floor(place / 10))].map((digit) => String.fromCharCode(97 + Number(digit)));
  return `lines${letters.join('')}__searchDepartures${place + 1}`;
}

function describe(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

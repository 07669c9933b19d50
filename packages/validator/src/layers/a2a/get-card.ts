import type { HttpAnswer } from '@schemakit/http';
import { isPlainObject, type PlainObject, parseJson } from '../../findings/plain-object.ts';
import type { Clock } from '../../network/clock.ts';
import type { Network } from '../../network/network.ts';

/** The agent card at the origin of the URL, as it was sent. */
export interface AgentCard {
  document: PlainObject | undefined;
  /** The answer that has the card; without a card, the last answer. Undefined without any answer. */
  answer: HttpAnswer | undefined;
}

/** Of A2A 1.0 and 0.3, and of earlier versions. */
const PATHS = ['/.well-known/agent-card.json', '/.well-known/agent.json'];

/** Gets the agent card. Never rejects. */
export async function getCard(url: URL, { network, clock }: { network: Network; clock: Clock }): Promise<AgentCard> {
  let answer: HttpAnswer | undefined;
  for (const path of PATHS) {
    try {
      answer = await network.get(new URL(path, url.origin), clock.remaining() / 2);
      const document = answer.status === 200 ? parseJson(answer.text()) : undefined;
      if (isPlainObject(document)) return { document, answer };
    } catch {
      // The other path may still have a card.
    }
  }
  return { document: undefined, answer };
}

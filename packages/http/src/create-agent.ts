import { createRequire } from 'node:module';
import type { Agent } from 'undici';

const require = createRequire(import.meta.url);

/** More connections to one server only cost: at 256 requests at a time, 128 of them are faster than 256. */
const CONNECTIONS_PER_ORIGIN = 128;

/**
 * Creates the connections of a client. undici is loaded here and not before, and only its agent: all of it would take a command that makes one request
 * three times as long. HTTP/1.1 only: its time-outs and limits are the ones this package relies on.
 */
export function createAgent(connect: NonNullable<Agent.Options['connect']>): Agent {
  const AgentClass: typeof Agent = require('undici/lib/dispatcher/agent.js');
  return new AgentClass({ allowH2: false, connections: CONNECTIONS_PER_ORIGIN, connect });
}

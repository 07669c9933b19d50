import type { Finding } from '../findings/finding.ts';
import type { PlainObject } from '../findings/plain-object.ts';
import type { AssessSettings } from '../input/assess-options.ts';
import type { LayerName } from '../input/layer-names.ts';
import type { AgentCard } from '../layers/a2a/get-card.ts';
import type { Clock } from '../network/clock.ts';
import type { Connection } from '../network/connection.ts';
import type { Network } from '../network/network.ts';
import type { Run } from '../run-steps.ts';
import type { Page } from './page.ts';

/** One of the eight views of an endpoint. A layer that throws or hangs fails only itself. */
export interface Layer {
  name: LayerName;
  run(context: LayerContext): Promise<LayerOutcome>;
}

/** What a layer may use. All network access goes through `network`, which gets each document only once. */
export interface LayerContext {
  url: URL;
  settings: AssessSettings;
  network: Network;
  /** The deadline of the layer. Work that it cuts short should leave what was seen until then. */
  clock: Clock;
  shared: Shared;
}

/** What several layers need. Made when first asked for, and only once. */
export interface Shared {
  /** GET of the URL, redirect by redirect. Never rejects. */
  page(): Promise<Page>;
  /** A connection to the origin of the URL, then to each that it redirects to, with TLS and certificate. Never rejects. */
  connections(): Promise<Connection[]>;
  /** The MCP server, connected and listed; its session stays open until the assessment ends. Without a session, its findings say why. */
  mcp(): Promise<Run>;
  /** The same, when the tools were called as `probe` allows. */
  probed(): Promise<Run>;
  /** The card of the A2A agent at the origin of the URL. Never rejects. */
  card(): Promise<AgentCard>;
}

/** What a layer found. Findings keep their order; within a layer, a code with its location should be unique. */
export type LayerOutcome =
  | { detected: true; categories: Record<string, boolean>; entries: PlainObject; findings: readonly Finding[] }
  | {
      detected: false;
      /** `not-detected`: it was looked for and is not there. `not-evaluated`: it may be there. */
      state: 'not-detected' | 'not-evaluated';
      /** Why, as a sentence. */
      skipped: string;
      /** What was seen all the same, such as why the layer could not be evaluated. */
      findings?: readonly Finding[];
    };

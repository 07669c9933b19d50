import type { CallableTool, Session } from '../connect/session.ts';
import { type Evidence, rpcEvidence } from '../findings/evidence.ts';
import { field, isPlainObject, type PlainObject, parseJson } from '../findings/plain-object.ts';
import type { ProbeLimits, ProbeMode } from '../input/start-options.ts';
import type { Clock } from '../network/clock.ts';
import { type Exchange, explainAnswer, resultOf } from '../network/exchange.ts';
import { type PaymentSignal, paymentSignal, textsOf } from './payment-signal.ts';
import { sampleArguments } from './sample-arguments.ts';

/** The outcome of a call. `arguments-refused`: a payment requirement after the argument check stays unknown. */
export type Outcome =
  | 'gated'
  | 'free'
  | 'error'
  | 'arguments-refused'
  | 'input-required'
  | 'failed'
  | 'skipped'
  | 'not-called';

export interface ProbedTool {
  name: string;
  outcome: Outcome;
  signal?: PaymentSignal;
  /** Why it failed. */
  note?: string;
  pointsToApi?: boolean;
  /** The response, if it is not just a result. */
  evidence?: Evidence;
  /** The arguments may not match the input schema. */
  isGuess?: boolean;
}

const INVALID_PARAMS = -32602;
const OTHER_PAYMENT_PROTOCOL = -32042;

interface ProbeOptions {
  mode: ProbeMode;
  limits: ProbeLimits;
  clock: Clock;
}

/** Calls tools to see which require payment. Never pays, and never calls a tool twice. */
export async function probeTools(
  session: Session,
  tools: readonly PlainObject[],
  { mode, limits, clock }: ProbeOptions,
): Promise<ProbedTool[]> {
  const { called, skipped, beyond } = chooseTools(tools, mode, limits.maxCalls);
  const endsAt = performance.now() + limits.totalTime;
  const probed = new Map<string, ProbedTool>();
  const queue = called.values();
  async function work(): Promise<void> {
    for (const tool of queue) {
      const time = Math.min(limits.callTimeout, clock.remaining(), endsAt - performance.now());
      // Too short for a response.
      if (time < 20) return;
      probed.set(tool.name, await probe(session, tool, { time, clock }));
    }
  }
  await Promise.all(Array.from({ length: Math.min(limits.concurrency, called.length) }, work));
  return [
    ...called.map(({ name }) => probed.get(name) ?? { name, outcome: 'not-called' as const }),
    ...skipped.map((name) => ({ name, outcome: 'skipped' as const })),
    ...beyond.map((name) => ({ name, outcome: 'not-called' as const })),
  ];
}

async function probe(
  session: Session,
  tool: CallableTool,
  { time, clock }: { time: number; clock: Clock },
): Promise<ProbedTool> {
  const { value, isValid } = sampleArguments(tool.inputSchema);
  const exchange = await session.callTool(tool, value, time);
  const signal = paymentSignal(exchange);
  const judged = judge(exchange);
  const isPlain = signal === undefined && judged.outcome === 'free' && judged.pointsToApi !== true;
  const seen = {
    name: tool.name,
    ...(!isPlain && { evidence: rpcEvidence(`tools/call ${tool.name}`, exchange) }),
  };
  if (signal !== undefined) return { ...seen, outcome: 'gated', signal };
  if (exchange.messages.length === 0 && clock.remaining() === 0)
    return { ...seen, outcome: 'failed', note: `no response when ${clock.why()}` };
  return { ...seen, ...judged, ...(!isValid && { isGuess: true }) };
}

function judge(exchange: Exchange): Omit<ProbedTool, 'name'> {
  const rpcError = field(exchange.messages.at(-1), 'error');
  const result = resultOf(exchange);
  if (rpcError === undefined && result === undefined) return { outcome: 'failed', note: explainAnswer(exchange) };
  if (field(rpcError, 'code') === INVALID_PARAMS) return { outcome: 'arguments-refused' };
  if (
    field(rpcError, 'code') === OTHER_PAYMENT_PROTOCOL &&
    Array.isArray(field(field(rpcError, 'data'), 'challenges'))
  ) {
    return { outcome: 'error', note: 'requires payment by a protocol other than x402' };
  }
  if (rpcError !== undefined) return { outcome: 'failed', note: explainAnswer(exchange) };
  if (field(result, 'resultType') === 'input_required') return { outcome: 'input-required' };
  const pointsToApi = textsOf(result).map(parseJson).some(isPointer);
  const isError = field(result, 'isError') === true;
  const outcome = isError ? (isValidationText(textsOf(result)) ? 'arguments-refused' : 'error') : 'free';
  return { outcome, ...(pointsToApi && { pointsToApi }) };
}

/** A result that points to a paid API. */
function isPointer(value: unknown): boolean {
  return typeof field(value, 'endpoint') === 'string' && field(value, 'payment') !== undefined;
}

/** Servers based on the SDK report invalid arguments as results. */
function isValidationText(texts: readonly string[]): boolean {
  return texts.some((text) => /-32602|validation error|invalid arguments/i.test(text.slice(0, 300)));
}

/** The names of tools by whether they are called. */
interface Choice {
  called: CallableTool[];
  /** Because of their annotations. */
  skipped: string[];
  /** Because of the limit of calls. */
  beyond: string[];
}

/** Chooses by annotations. A duplicate name is called once, and only if all tools of that name may be called. */
function chooseTools(tools: readonly PlainObject[], mode: ProbeMode, maxCalls: number): Choice {
  const byName = Map.groupBy(tools, (tool) => String(field(tool, 'name')));
  const choice: Choice = { called: [], skipped: [], beyond: [] };
  if (mode === 'none') return choice;
  for (const [name, namesakes] of byName) {
    if (!namesakes.every((tool) => mayBeCalled(tool, mode))) choice.skipped.push(name);
    else if (choice.called.length >= maxCalls) choice.beyond.push(name);
    else choice.called.push({ name, inputSchema: schemaOf(namesakes[0]) });
  }
  return choice;
}

/** The names of the tools that `probe: 'all'` calls although they do not announce that they only read. */
export function toolsThatMayWrite(tools: readonly PlainObject[]): string[] {
  const namesIn = (mode: ProbeMode) =>
    chooseTools(tools, mode, Number.POSITIVE_INFINITY).called.map(({ name }) => name);
  const safe = new Set(namesIn('safe'));
  return namesIn('all').filter((name) => !safe.has(name));
}

/** Contradictory or misspelt annotations count as destructive, because a call cannot be undone. */
function mayBeCalled(tool: PlainObject, mode: ProbeMode): boolean {
  const annotations = field(tool, 'annotations');
  if (isDestructive(tool) || isDestructive(annotations)) return false;
  return mode === 'all' || field(annotations, 'readOnlyHint') === true;
}

/** Accepts `destructive_hint`, and hints outside the annotations. */
function isDestructive(place: unknown): boolean {
  return Object.entries(isPlainObject(place) ? place : {}).some(
    ([name, value]) => /^destructive[-_ ]?hint$/i.test(name) && value !== null && value !== false,
  );
}

function schemaOf(tool: PlainObject | undefined): PlainObject {
  const schema = field(tool, 'inputSchema');
  return isPlainObject(schema) ? schema : {};
}

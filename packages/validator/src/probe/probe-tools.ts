import type { CallableTool, Session } from '../connect/session.ts';
import { field, isPlainObject, type PlainObject, parseJson } from '../findings/plain-object.ts';
import type { ProbeLimits, ProbeMode } from '../input/start-options.ts';
import type { Clock } from '../network/clock.ts';
import { type Exchange, explainAnswer, resultOf } from '../network/exchange.ts';
import { type PaymentSignal, paymentSignal, textsOf } from './payment-signal.ts';
import { sampleArguments } from './sample-arguments.ts';

/** What became of a tool. `arguments-refused`: a gate behind the check of arguments stays unseen. */
export type Outcome =
  | 'gated'
  | 'free'
  | 'error'
  | 'arguments-refused'
  | 'input-required'
  | 'failed'
  | 'skipped'
  | 'not-called';

/** One tool after the probe. */
export interface ProbedTool {
  name: string;
  outcome: Outcome;
  signal?: PaymentSignal;
  /** Why it failed, or what else is to be told. */
  note?: string;
  pointsToApi?: boolean;
  /** No arguments were found that its input schema allows. */
  isGuess?: boolean;
}

const INVALID_PARAMS = -32602;
const OTHER_PAYMENT_PROTOCOL = -32042;

interface ProbeOptions {
  mode: ProbeMode;
  limits: ProbeLimits;
  clock: Clock;
}

/** Calls tools to see which ask for payment. Never pays, and calls nothing twice. */
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
      // With less than this no answer could come, and the tool would run for nothing.
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
  if (signal !== undefined) return { name: tool.name, outcome: 'gated', signal };
  if (exchange.messages.length === 0 && clock.remaining() === 0)
    return { name: tool.name, outcome: 'failed', note: `no answer had come when ${clock.why()}` };
  return { name: tool.name, ...judge(exchange), ...(!isValid && { isGuess: true }) };
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
    return { outcome: 'error', note: 'asks for payment by a protocol other than x402' };
  }
  if (rpcError !== undefined) return { outcome: 'failed', note: explainAnswer(exchange) };
  if (field(result, 'resultType') === 'input_required') return { outcome: 'input-required' };
  const pointsToApi = textsOf(result).map(parseJson).some(isPointer);
  const isError = field(result, 'isError') === true;
  const outcome = isError ? (isValidationText(textsOf(result)) ? 'arguments-refused' : 'error') : 'free';
  return { outcome, ...(pointsToApi && { pointsToApi }) };
}

/** A result that says where to pay instead of answering. */
function isPointer(value: unknown): boolean {
  return typeof field(value, 'endpoint') === 'string' && field(value, 'payment') !== undefined;
}

/** Servers on the SDK report refused arguments as results. */
function isValidationText(texts: readonly string[]): boolean {
  return texts.some((text) => /-32602|validation error|invalid arguments/i.test(text.slice(0, 300)));
}

/** Which tools may be called, by name. */
export interface Choice {
  called: CallableTool[];
  /** By what they declare. */
  skipped: string[];
  /** Beyond the number of calls. */
  beyond: string[];
}

/** Chooses by what tools declare about themselves. A name that comes twice is called once, and only if all that bear it may be called. */
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

/** What contradicts itself, or is written in another way than it should be, is taken as destructive: nobody can call a tool back. */
function mayBeCalled(tool: PlainObject, mode: ProbeMode): boolean {
  const annotations = field(tool, 'annotations');
  if (isDestructive(tool) || isDestructive(annotations)) return false;
  return mode === 'all' || field(annotations, 'readOnlyHint') === true;
}

/** Some write `destructive_hint`, or put it beside the annotations. */
function isDestructive(place: unknown): boolean {
  return Object.entries(isPlainObject(place) ? place : {}).some(
    ([name, value]) => /^destructive[-_ ]?hint$/i.test(name) && value !== null && value !== false,
  );
}

function schemaOf(tool: PlainObject | undefined): PlainObject {
  const schema = field(tool, 'inputSchema');
  return isPlainObject(schema) ? schema : {};
}

import { dataOf } from '../run/fit-answer.ts';
import type { Dialect, ScriptedRequest } from './read-request.ts';
import type { ScriptedTurn } from './scripted-turn.ts';

interface Answer {
  model: string;
  number: number;
  text: string;
  /** With arguments as JSON, unless they are broken on purpose. */
  calls: { id: string; name: string; args: string }[];
  inputTokens: number;
  outputTokens: number;
  cachedTokens: number;
  isCutOff: boolean;
}

/** Writes a turn as the body of an HTTP answer: JSON, or the events of a stream. */
export function writeAnswer(
  { text = '', calls = [], usage = {}, cutOff: isCutOff = false }: ScriptedTurn,
  { dialect, stream, model }: Pick<ScriptedRequest, 'dialect' | 'stream' | 'model'>,
  { number, malformedArguments }: { number: number; malformedArguments: boolean },
): { contentType: string; body: string } {
  const { inputTokens = 100, outputTokens = 20, cachedTokens = 0 } = usage;
  const prefix = dialect === 'chat' ? 'call' : 'toolu';
  const written = calls.map(({ name, args = {}, id }, index) => {
    const json = JSON.stringify(args);
    const isBroken = malformedArguments || (isCutOff && index === calls.length - 1);
    return { name, id: id ?? `${prefix}_${number}_${index}`, args: isBroken ? json.slice(0, json.length / 2) : json };
  });
  const answer = { model, number, text, calls: written, inputTokens, outputTokens, cachedTokens, isCutOff };
  const { writeJson, writeEvents } = dialects[dialect];
  if (!stream) return { contentType: 'application/json', body: JSON.stringify(writeJson(answer)) };
  return { contentType: 'text/event-stream', body: writeEvents(answer).join('') };
}

const dialects: Record<Dialect, { writeJson: (answer: Answer) => unknown; writeEvents: (answer: Answer) => string[] }> =
  {
    anthropic: { writeJson: anthropicMessage, writeEvents: anthropicEvents },
    chat: { writeJson: chatCompletion, writeEvents: chatEvents },
  };

/** https://platform.claude.com/docs/en/api/messages */
function anthropicMessage({ model, number, text, calls, ...answer }: Answer): Record<string, unknown> {
  // What is no JSON stays a string: `input` is a JSON value.
  const toolUses = calls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: dataOf(args) }));
  return {
    id: `msg_${number}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [...(text === '' ? [] : [{ type: 'text', text }]), ...toolUses],
    stop_reason: anthropicStop({ calls, ...answer }),
    stop_sequence: null,
    usage: anthropicUsage(answer),
  };
}

function anthropicStop({ isCutOff, calls }: Pick<Answer, 'isCutOff' | 'calls'>): string {
  if (isCutOff) return 'max_tokens';
  return calls.length > 0 ? 'tool_use' : 'end_turn';
}

function anthropicUsage({
  inputTokens,
  outputTokens,
  cachedTokens,
}: Pick<Answer, 'inputTokens' | 'outputTokens' | 'cachedTokens'>): Record<string, number> {
  return {
    input_tokens: inputTokens - cachedTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cachedTokens,
    output_tokens: outputTokens,
  };
}

/** https://platform.claude.com/docs/en/build-with-claude/streaming */
function anthropicEvents(answer: Answer): string[] {
  const { text, calls } = answer;
  const usage = anthropicUsage(answer);
  const start = { ...anthropicMessage(answer), content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } };
  const textBlock = {
    start: { type: 'text', text: '' },
    deltas: halves(text).map((half) => ({ type: 'text_delta', text: half })),
  };
  const blocks = [
    ...(text === '' ? [] : [textBlock]),
    ...calls.map(({ id, name, args }) => ({
      start: { type: 'tool_use', id, name, input: {} },
      deltas: halves(args).map((half) => ({ type: 'input_json_delta', partial_json: half })),
    })),
  ];
  const events = [
    { type: 'message_start', message: start },
    ...blocks.flatMap((block, index) => [
      { type: 'content_block_start', index, content_block: block.start },
      ...block.deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: anthropicStop(answer), stop_sequence: null }, usage },
    { type: 'message_stop' },
  ];
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}

/** https://platform.openai.com/docs/api-reference/chat/object */
function chatCompletion(answer: Answer): Record<string, unknown> {
  const { text, calls } = answer;
  const toolCalls = calls.map(chatCall);
  const message = {
    role: 'assistant',
    content: text === '' ? null : text,
    ...(calls.length > 0 && { tool_calls: toolCalls }),
  };
  const choice = { index: 0, message, finish_reason: chatFinish(answer) };
  return { ...chatHead(answer), object: 'chat.completion', choices: [choice], usage: chatUsage(answer) };
}

function chatHead({ number, model }: Answer): Record<string, unknown> {
  return { id: `chatcmpl_${number}`, created: Math.floor(Date.now() / 1000), model };
}

function chatCall({ id, name, args }: Answer['calls'][number]): Record<string, unknown> {
  return { id, type: 'function', function: { name, arguments: args } };
}

function chatFinish({ isCutOff, calls }: Answer): string {
  if (isCutOff) return 'length';
  return calls.length > 0 ? 'tool_calls' : 'stop';
}

function chatUsage({ inputTokens, outputTokens, cachedTokens }: Answer): Record<string, unknown> {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: cachedTokens },
  };
}

/** https://platform.openai.com/docs/api-reference/chat-streaming */
function chatEvents(answer: Answer): string[] {
  const calls = answer.calls.flatMap((call, index) => {
    const [first = '', ...others] = halves(call.args);
    const rest = others.map((half) => ({ index, function: { arguments: half } }));
    return [{ index, ...chatCall({ ...call, args: first }) }, ...rest];
  });
  const deltas = [
    { role: 'assistant', content: '' },
    ...halves(answer.text).map((content) => ({ content })),
    ...calls.map((call) => ({ tool_calls: [call] })),
  ];
  const choices = [
    ...deltas.map((delta) => ({ index: 0, delta, finish_reason: null })),
    { index: 0, delta: {}, finish_reason: chatFinish(answer) },
  ];
  const head = { ...chatHead(answer), object: 'chat.completion.chunk' };
  const chunks = [
    ...choices.map((choice) => ({ ...head, choices: [choice] })),
    { ...head, choices: [], usage: chatUsage(answer) },
  ];
  return [...chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`), 'data: [DONE]\n\n'];
}

/** Two parts, so that a client has to put them together. */
function halves(text: string): string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((half) => half !== '');
}

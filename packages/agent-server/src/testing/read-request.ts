import { isObject } from '@schemakit/core/internal';
import { dataOf } from '../run/fit-answer.ts';

/** The two wire formats: Anthropic Messages, and chat completions as OpenAI has them. */
export type Dialect = 'anthropic' | 'chat';

/** A message of a request, the same for both dialects. */
export interface ScriptedMessage {
  role: string;
  text: string;
  calls: { id: string; name: string; args: unknown }[];
  /** Answers of tools. Chat completions do not say whether one is an error. */
  results: { id: string; text: string; isError?: boolean }[];
}

/** A request that the scripted model received. */
export interface ScriptedRequest {
  dialect: Dialect;
  path: string;
  /** By name in lower case. */
  headers: Record<string, string>;
  stream: boolean;
  model: string;
  /** All system prompts. */
  system: string;
  /** Without system prompts. */
  messages: ScriptedMessage[];
  tools: { name: string; description: string; inputSchema: unknown }[];
  /** As it was sent. */
  toolChoice: unknown;
  /** The tool that `toolChoice` forces the model to call. */
  forcedTool: string | undefined;
  maxTokens: number | undefined;
  /** As it was sent. */
  body: Record<string, unknown>;
}

type Json = Record<string, unknown>;

/** Reads the body of a request. */
export function readRequest(
  body: Json,
  { dialect, path, headers }: Pick<ScriptedRequest, 'dialect' | 'path' | 'headers'>,
): ScriptedRequest {
  const isChat = dialect === 'chat';
  const sent = list(body.messages);
  const system = isChat ? sent.filter(isSystem).map(({ content }) => textOf(content)) : [textOf(body.system)];
  const choice = object(body.tool_choice);
  const forced = isChat ? object(choice.function).name : choice.type === 'tool' ? choice.name : undefined;
  const maxTokens = body.max_tokens ?? body.max_completion_tokens;
  return {
    dialect,
    path,
    headers,
    stream: body.stream === true,
    model: String(body.model),
    system: system.join('\n'),
    messages: isChat
      ? sent.filter((message) => !isSystem(message)).map(readChatMessage)
      : sent.map(readAnthropicMessage),
    tools: list(body.tools).map((tool) => readTool(isChat ? object(tool.function) : tool)),
    toolChoice: body.tool_choice,
    forcedTool: typeof forced === 'string' ? forced : undefined,
    maxTokens: typeof maxTokens === 'number' ? maxTokens : undefined,
    body,
  };
}

function isSystem({ role }: Json): boolean {
  return role === 'system' || role === 'developer';
}

function readChatMessage({ role, content, tool_calls, tool_call_id }: Json): ScriptedMessage {
  const calls = list(tool_calls).map(({ id, function: called }) => {
    const { name, arguments: args } = object(called);
    return { id: String(id), name: String(name), args: dataOf(String(args)) };
  });
  const text = textOf(content);
  if (role === 'tool') return { role, text: '', calls, results: [{ id: String(tool_call_id), text }] };
  return { role: String(role), text, calls, results: [] };
}

function readAnthropicMessage({ role, content }: Json): ScriptedMessage {
  const blocks = list(content);
  return {
    role: String(role),
    text: textOf(content),
    calls: blocks
      .filter(({ type }) => type === 'tool_use')
      .map(({ id, name, input }) => ({ id: String(id), name: String(name), args: input })),
    results: blocks
      .filter(({ type }) => type === 'tool_result')
      .map((block) => ({
        id: String(block.tool_use_id),
        text: textOf(block.content),
        isError: block.is_error === true,
      })),
  };
}

function readTool({ name, description = '', parameters, input_schema }: Json): ScriptedRequest['tools'][number] {
  return { name: String(name), description: String(description), inputSchema: input_schema ?? parameters };
}

/**
 * Why the real APIs refuse a request, so that a test does not pass with one that fails in use. Undefined if nothing is known against it.
 */
export function refusalOf({ dialect, messages, tools, forcedTool, maxTokens }: ScriptedRequest): string | undefined {
  const names = tools.map(({ name }) => name);
  const badName = names.find((name) => !/^[\w-]{1,64}$/.test(name));
  if (badName !== undefined) return `tools: the name '${badName}' does not match ^[a-zA-Z0-9_-]{1,64}$`;
  if (new Set(names).size < names.length) return 'tools: names must be unique';
  if (forcedTool !== undefined && !names.includes(forcedTool)) return `tool_choice: there is no tool '${forcedTool}'`;
  if (messages.length === 0) return 'messages: at least one message is required';
  for (const [index, message] of messages.entries()) {
    const { role, text, calls } = message;
    const place = `messages.${index}`;
    if (text === '' && calls.length === 0 && message.results.length === 0) return `${place}: must not be empty`;
    const next = messages.slice(index + 1);
    // Anthropic's results stand in one message, those of chat completions in one each.
    const other = next.findIndex((later) => later.results.length === 0);
    const results = next.slice(0, other < 0 ? next.length : other).flatMap((later) => later.results);
    const answered = new Set(results.map(({ id }) => id));
    const open = role === 'assistant' ? calls.find(({ id }) => !answered.has(id)) : undefined;
    if (open !== undefined) return `${place}: the tool call '${open.id}' has no result after it`;
    const notObject = dialect === 'anthropic' && calls.find(({ args }) => !isObject(args));
    if (notObject) return `${place}: the input of the tool call '${notObject.id}' must be an object`;
  }
  if (dialect === 'chat') return undefined;
  if (maxTokens === undefined) return 'max_tokens: is required';
  return messages.at(-1)?.role === 'assistant' ? 'messages: the last message must be of the user' : undefined;
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  const parts = list(content).filter(({ type }) => type === 'text');
  return parts.map(({ text }) => text).join('\n');
}

function list(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function object(value: unknown): Json {
  return isObject(value) ? value : {};
}

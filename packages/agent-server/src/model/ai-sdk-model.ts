import { isObject, messageOf } from '@schemakit/core/internal';
import {
  type AssistantModelMessage,
  generateText,
  isStepCount,
  type JSONSchema7,
  jsonSchema,
  type LanguageModelMiddleware,
  type ModelMessage,
  type ToolSet,
  tool,
  wrapLanguageModel,
} from 'ai';
import { isAmount, type Model, type ModelAnswer, type ModelTool, type Usage } from './model.ts';
import type { ModelObject } from './open-model.ts';

/** Money per million tokens. */
export interface Prices {
  input: number;
  output: number;
  /** Of cached input. Default: as `input`. */
  cachedInput?: number;
}

/** Prices by model id, as the agent names it. */
export type PriceTable = Readonly<Record<string, Prices>>;

/** Calls a model of the AI SDK, one step at a time: the tools have no `execute`, and the loop around is ours. */
export function aiSdkModel(model: ModelObject, prices?: Prices): Model {
  return async ({ instructions, messages, tools, force, maxTokens, signal }) => {
    const result = await generateText({
      model: force === undefined ? model : forceTool(model, force),
      // Marks the end of the prefix that stays the same in every round: tools come before it. Other providers ignore the option.
      instructions: { role: 'system', content: instructions, providerOptions: cached },
      messages: [...messages],
      tools: toolSet(tools),
      maxOutputTokens: maxTokens,
      stopWhen: isStepCount(1),
      maxRetries: 0,
      abortSignal: signal,
      telemetry: { isEnabled: false },
    });
    const message = assistantMessage(result.response.messages);
    const parts = typeof message.content === 'string' ? [] : message.content;
    const ids = parts.flatMap((part) => (part.type === 'tool-call' ? part.toolCallId : []));
    const calls = result.toolCalls.map(({ toolCallId, toolName, input, ...call }, index) => ({
      id: ids[index] ?? toolCallId,
      name: toolName,
      args: input,
      ...('invalid' in call && call.invalid === true && { problem: messageOf(call.error) }),
    }));
    return {
      text: result.text,
      calls,
      isCutOff: result.finishReason === 'length',
      usage: usageOf(result.usage, prices),
      message,
    };
  };
}

/** The SDK throws away answers that do not call the forced tool; the loop has its own rule for them. So only the provider is told. */
function forceTool(model: ModelObject, toolName: string): ModelObject {
  const transformParams: LanguageModelMiddleware['transformParams'] = async ({ params }) => ({
    ...params,
    toolChoice: { type: 'tool', toolName },
  });
  return wrapLanguageModel({ model, middleware: { specificationVersion: 'v4', transformParams } });
}

const cached = { anthropic: { cacheControl: { type: 'ephemeral' } } };

function toolSet(tools: readonly ModelTool[]): ToolSet {
  return Object.fromEntries(
    tools.map(({ name, description, inputSchema }) => [
      name,
      // Without `validate` nothing is checked here: the loop checks arguments, so that the model gets our messages.
      tool({ description, inputSchema: jsonSchema(inputSchema as JSONSchema7) }),
    ]),
  );
}

/** The model's message. The SDK adds messages with answers to calls that it cannot read; the loop answers them itself. */
function assistantMessage(messages: readonly ModelMessage[]): AssistantModelMessage {
  const first = messages.find((message) => message.role === 'assistant');
  if (first === undefined || typeof first.content === 'string') return first ?? { role: 'assistant', content: '' };
  const used = new Set<string>();
  const content = first.content.map((part) => {
    if (part.type !== 'tool-call') return part;
    // Some providers use an id twice, and answers belong to ids.
    let toolCallId = part.toolCallId;
    for (let count = 2; used.has(toolCallId); count += 1) toolCallId = `${part.toolCallId}_${count}`;
    used.add(toolCallId);
    // Providers refuse arguments that are no object, also in what the model itself has said.
    return { ...part, toolCallId, input: isObject(part.input) ? part.input : {} };
  });
  return { ...first, content };
}

function usageOf(
  usage: Awaited<ReturnType<typeof generateText>>['usage'],
  prices: Prices | undefined,
): ModelAnswer['usage'] {
  const { inputTokens = 0, outputTokens = 0, raw } = usage;
  const cachedTokens = usage.inputTokenDetails.cacheReadTokens ?? 0;
  const used: Usage = { inputTokens, outputTokens, cachedTokens, requests: 1 };
  // OpenRouter reports what a request has cost.
  const reported = raw?.cost;
  if (prices === undefined) return isAmount(reported) ? { ...used, cost: reported } : used;
  const { input, output, cachedInput = input } = prices;
  const cost = ((inputTokens - cachedTokens) * input + cachedTokens * cachedInput + outputTokens * output) / 1_000_000;
  return { ...used, cost };
}

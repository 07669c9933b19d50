import { createAnthropic } from '@ai-sdk/anthropic';
import { type AgentMcp, AgentToolsServer } from '@schemakit/agent-server';
import {
  generateText,
  hasToolCall,
  isStepCount,
  jsonSchema,
  type ModelMessage,
  ToolLoopAgent,
  type ToolSet,
  tool,
} from 'ai';

/** Rounds of each run, the last of which submits the answer. */
export const rounds = 5;

/** Runs an agent once and throws unless it answers in so many rounds. */
export type AgentLoop = () => Promise<void>;

const model = 'claude-sonnet-5';
const instructions = 'You add numbers.';
const query = 'What is 1 + 2?';

const number = { type: 'number' as const };
const numbers = { type: 'object' as const, properties: { one: number, other: number }, required: ['one', 'other'] };
const answerSchema = { type: 'object' as const, properties: { sum: number }, required: ['sum'] };

const texts = { add: 'Adds two numbers.', submit: 'Submits your final answer.' };
const add = (args: unknown) => {
  const { one, other } = args as { one: number; other: number };
  return { sum: one + other };
};

/** An MCP server with our agent. */
export function benchAgents(url: string, settings: { tasks?: string; maxRuns?: number } = {}): AgentMcp {
  const { mcp } = AgentToolsServer.create({
    name: 'bench',
    version: '1.0.0',
    llm: { baseURL: url, apiKey: 'not-needed' },
    ...settings,
    tools: [
      {
        name: 'ask',
        description: 'Adds.',
        inputSchema: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
        agent: { systemPrompt: instructions, model, answerSchema, timeoutMs: 600_000 },
        execution: { taskSupport: 'optional' },
        toolSources: [
          {
            type: 'tools',
            tools: [{ name: 'add', description: texts.add, inputSchema: numbers, execute: (args) => add(args) }],
          },
        ],
      },
    ],
  });
  return mcp;
}

/** The same agent three times: ours, a loop written by hand with the AI SDK, and the agent class of the AI SDK. */
export const agentLoops: Readonly<Record<string, (url: string) => AgentLoop>> = {
  schemakit(url) {
    const mcp = benchAgents(url);
    return async () => {
      const result = await mcp.callTool({ name: 'ask', arguments: { query } });
      if (result.isError) throw new Error(JSON.stringify(result.content));
      const run = Object(result._meta?.['schemakit/run']) as { rounds: number };
      expectRounds(run.rounds);
    };
  },

  hand(url) {
    const languageModel = anthropic(url);
    const tools: ToolSet = {
      add: tool({ description: texts.add, inputSchema: jsonSchema(numbers) }),
      submit_answer: submitTool,
    };
    return async () => {
      const messages: ModelMessage[] = [{ role: 'user', content: query }];
      for (let round = 1; ; round += 1) {
        const { toolCalls, response } = await generateText({
          model: languageModel,
          instructions,
          messages,
          tools,
          stopWhen: isStepCount(1),
        });
        if (toolCalls.some(({ toolName }) => toolName === 'submit_answer')) return expectRounds(round);
        const results = toolCalls.map(({ toolCallId, toolName, input }) => {
          const output = { type: 'json', value: add(input) } as const;
          return { type: 'tool-result', toolCallId, toolName, output } as const;
        });
        messages.push(...response.messages, { role: 'tool', content: results });
      }
    };
  },

  agentClass(url) {
    const agent = new ToolLoopAgent({
      model: anthropic(url),
      instructions,
      tools: {
        add: tool({
          description: texts.add,
          inputSchema: jsonSchema(numbers),
          execute: async (args) => add(args),
        }),
        submit_answer: submitTool,
      },
      stopWhen: [isStepCount(10), hasToolCall('submit_answer')],
    });
    return async () => {
      const { steps } = await agent.generate({ prompt: query });
      expectRounds(steps.length);
    };
  },
};

const submitTool: ToolSet[string] = tool({ description: texts.submit, inputSchema: jsonSchema(answerSchema) });

function anthropic(url: string) {
  return createAnthropic({ baseURL: `${url}/v1`, apiKey: 'not-needed' })(model);
}

function expectRounds(count: number): void {
  if (count !== rounds) throw new Error(`the run took ${count} rounds, not ${rounds}`);
}

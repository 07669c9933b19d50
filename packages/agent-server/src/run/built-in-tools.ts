import type { JsonObject, ModelTool } from '../model/model.ts';
import { type AgentTool, failed, type ToolAnswer } from './agent-tool.ts';
import { createValueCheck } from './check-value.ts';
import { submitAnswer } from './conversation.ts';
import type { Question } from './events.ts';
import { fitAnswer } from './fit-answer.ts';
import { askUser, questionProblems, questionSchema } from './question.ts';

/** Names that tools of an agent cannot have. */
export const reservedNames: readonly string[] = [submitAnswer, askUser, 'read_answer', 'read_skill'];

/** The answer schema of agents without one. */
export const defaultAnswerSchema: JsonObject = {
  type: 'object',
  properties: {
    title: { type: 'string' },
    analysis: { type: 'string' },
    keyFindings: { type: 'array', items: { type: 'string' } },
    sources: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          id: { type: 'number' },
          tool: { type: 'string' },
          query: { type: 'string' },
          insight: { type: 'string' },
        },
        required: ['id', 'tool', 'query', 'insight'],
      },
    },
  },
  required: ['title', 'analysis', 'keyFindings', 'sources'],
};

export function submitTool(answerSchema: JsonObject): ModelTool {
  const description = 'Submits your final answer. Call it once, alone, when you are done.';
  return { name: submitAnswer, description, inputSchema: answerSchema };
}

/** Reads a skill that the instructions offer by name, so that ten skills do not cost the tokens of ten. */
export function readSkillTool(skills: Readonly<Record<string, string>>): AgentTool {
  const names = Object.keys(skills);
  return {
    name: 'read_skill',
    description: 'Reads how a task is done, step by step.',
    inputSchema: { type: 'object', properties: { name: { type: 'string', enum: names } }, required: ['name'] },
    effect: 'read',
    async call({ name }) {
      const text = Object.hasOwn(skills, String(name)) ? skills[String(name)] : undefined;
      return text === undefined
        ? failed(`There is no skill ${String(name)}: ${names.join(', ')}.`)
        : { text, isError: false };
    },
  };
}

/** What a user answered. */
export type UserAnswer = { action: 'accept'; content: unknown } | { action: 'decline' | 'cancel' };

/** Asks the user. A call with a question pauses or ends the run (`nextStep`); only one that cannot be asked is called. */
export const askUserTool: AgentTool = {
  name: askUser,
  description: 'Asks the user for what you cannot find out and cannot do without. Ask only if you must.',
  inputSchema: {
    type: 'object',
    properties: {
      message: { type: 'string', description: 'The question.' },
      fields: {
        type: 'object',
        description: 'JSON Schemas of text, number, boolean and choice fields to fill in, by name. No nested objects.',
      },
    },
    required: ['message'],
  },
  effect: 'read',
  call: async (args) => failed(questionProblems(args).join('\n')),
};

/** The answer of a user as the model reads it. Clients may send other things than they were asked for. */
export function answerText(answer: UserAnswer, question: Question, maxLength: number): ToolAnswer {
  if (answer.action === 'accept') {
    const { text, ...fitted } = fitAnswer(answer.content, maxLength);
    const problems = createValueCheck(questionSchema(question))(answer.content);
    if (problems.length === 0) return { ...fitted, text: `The user answered: ${text}` };
    return {
      ...fitted,
      text: `The user answered: ${text}\nThis is not what was asked for:\n${problems.join('\n')}`,
      isError: true,
    };
  }
  return failed(answer.action === 'decline' ? 'The user declined to answer.' : 'The user did not answer.');
}

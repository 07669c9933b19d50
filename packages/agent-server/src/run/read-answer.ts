import { selectData } from '@schemakit/core';
import { fitText } from '@schemakit/core/internal';
import { type AgentTool, failed, type ToolAnswer } from './agent-tool.ts';
import type { EventOf } from './events.ts';
import { type Cut, cutReport, dataOf, linesOf } from './fit-answer.ts';
import type { RunState } from './run-state.ts';

/** Reads an answer that was shortened, or a part of it. */
export function readAnswerTool(state: () => RunState): AgentTool {
  return {
    name: 'read_answer',
    description:
      'Reads an answer that was shortened, or the part that a JMESPath expression selects, such as items[10:20].name. A text is an array of its lines: [10:20].',
    inputSchema: {
      type: 'object',
      properties: { id: { type: 'string', description: 'Its id, such as 2.1.' }, select: { type: 'string' } },
      required: ['id'],
    },
    effect: 'read',
    async call({ id, select }, { maxLength }) {
      const results = state().turns.flatMap((turn) => [...turn.results.values()]);
      const found = findAnswer(results, id);
      if (typeof found === 'string') return failed(found);
      const { whole = found.text } = found;
      const data = dataOf(whole);
      const readable = typeof data === 'string' ? linesOf(data) : data;
      if (typeof select !== 'string' || select === '') {
        if (whole.length <= maxLength) return { text: whole, isError: false };
        return showPart(readable, { id: found.id, maxLength });
      }
      const { status, messages, data: selected } = await selectData(readable, select);
      if (!status) return failed(messages.join('\n'));
      return showPart(selected, { id: found.id, select, maxLength });
    },
  };
}

/** The answer with an id, or what is wrong with the id. Models send it as a number, too, and then 2.1 may be 2.10. */
function findAnswer(results: readonly EventOf<'tool.answered'>[], id: unknown): EventOf<'tool.answered'> | string {
  const found = results.filter((result) => (typeof id === 'number' ? Number(result.id) === id : result.id === id));
  const [first] = found;
  if (found.length > 1) return `Send the id as text: "${found.map((result) => result.id).join('" or "')}".`;
  const known = results.map((result) => result.id).slice(-30);
  return first ?? `There is no answer ${JSON.stringify(id)}. There are: ${known.join(', ')}.`;
}

interface Part {
  id: string;
  /** The expression that has selected it. */
  select?: string;
  maxLength: number;
}

/** A part of an answer; if it is too long itself, its beginning, and how to read on. */
function showPart(data: unknown, { id, select = '', maxLength }: Part): ToolAnswer {
  const whole = JSON.stringify(data);
  if (whole.length <= maxLength) return { text: whole, isError: false };
  // The report and the advice take some room.
  const room = Math.max(maxLength - 500, 0);
  const { text, next } = typeof data === 'string' ? beginningOf(data, room) : fitted(data, whole, room);
  const advice = `Read on with read_answer ${JSON.stringify({ id, select: next(select) })}.`;
  return { text: `${text} ${advice}`, isError: false };
}

interface Beginning {
  text: string;
  /** Selects what comes after it, from the expression for the whole. */
  next: (select: string) => string;
}

function beginningOf(data: string, room: number): Beginning {
  const shown = data.slice(0, room).replace(/[\uD800-\uDBFF]$/, '');
  const [end, total] = [countCharacters(shown), countCharacters(data)];
  const text = `${shown}\nThese are the first ${end} of ${total} characters.`;
  return { text, next: (select) => restOf(select, end) };
}

function fitted(data: unknown, whole: string, room: number): Beginning {
  const { text, cuts } = fitText(data, whole, room);
  const [cut] = cuts;
  const next = (select: string) => {
    if (cut === undefined) return select;
    const path = pathOf(cut);
    const part = select === '' || path === '' ? select + path : `${select} | ${path}`;
    if (cut.kind === 'value') return part;
    if (cut.returned > 0) return restOf(part, cut.returned);
    return part === '' ? '[0]' : `${part} | [0]`;
  };
  return { text: `${text}\n${cutReport(cuts.slice(0, 3))}`, next };
}

/** Selects all but the first items or characters. What selects such a rest already starts further on. */
function restOf(select: string, count: number): string {
  const [, list = '', start = 0] = /^(?:(.*) \| )?\[(\d+):\]$/s.exec(select) ?? [select, select];
  const rest = `[${Number(start) + count}:]`;
  return list === '' ? rest : `${list} | ${rest}`;
}

/** JMESPath counts characters, not UTF-16 units. */
function countCharacters(text: string): number {
  return text.length - (text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0);
}

/** The path of what was left out, as JMESPath. */
function pathOf({ path }: Cut): string {
  return path
    .slice(1)
    .replace(/\[("(?:[^"\\]|\\.)*")\]/g, '.$1')
    .replace(/^\./, '');
}

import type { CallableTool } from '../connect/session.ts';
import { field, isPlainObject, type PlainObject } from '../findings/plain-object.ts';
import type { ProbeMode } from '../input/start-options.ts';

/** Which tools may be called, by name. */
export interface Choice {
  called: CallableTool[];
  /** By what they declare. */
  skipped: string[];
  /** Beyond the number of calls. */
  beyond: string[];
}

/** Chooses by what tools declare about themselves. A name that comes twice is called once, and only if all that bear it may be called. */
export function chooseTools(tools: readonly PlainObject[], mode: ProbeMode, maxCalls: number): Choice {
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

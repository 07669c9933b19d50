import { type Fields, isObject } from '../json.ts';
import type { RuleReport } from '../rule-report.ts';
import { isShape } from '../z/parse-shape.ts';
import { toolsKey } from './tools.ts';

/** What plain readers of the format do with our additions. Those that they ignore without harm, such as `annotations`, are not named. */
const effects = {
  shapes: 'refuse them, or accept any value',
  'header and cookie parameters': 'refuse them',
  'style and explode': 'write lists, objects and slashes in another way',
  'whole bodies': 'send an object around the value',
  'headers of tools': 'leave them out',
  encoding: 'send JSON',
  accept: 'do not ask for the type',
  pagination: 'read the first page only',
  auth: 'send no credentials',
  signature: 'send no signature',
} as const;

type Addition = keyof typeof effects;

/** Names the additions in a file that other readers of the format refuse or misread, once (VAL094). */
export function reportAdditions(main: Fields, report: RuleReport): void {
  const tools = main[toolsKey(main)];
  const found = new Set<Addition>();
  if (main.auth !== undefined) found.add('auth');
  if (main.signature !== undefined) found.add('signature');
  for (const tool of isObject(tools) ? Object.values(tools) : []) if (isObject(tool)) addOfTool(tool, found);
  if (found.size === 0) return;
  const names = (Object.keys(effects) as Addition[]).filter((name) => found.has(name));
  const parts = names.map((name) => `${name} (they ${effects[name]})`);
  const hint = 'No action needed here. They are described in docs/format.md.';
  report('VAL094', 'main', `other readers of the format may misread ${parts.join(', ')}`, hint);
}

function addOfTool(tool: Fields, found: Set<Addition>): void {
  if (tool.headers !== undefined) found.add('headers of tools');
  for (const name of ['encoding', 'accept', 'pagination'] as const) if (tool[name] !== undefined) found.add(name);
  for (const parameter of Array.isArray(tool.parameters) ? tool.parameters : []) {
    const { z, position } = isObject(parameter) ? parameter : {};
    if (isObject(z) && isShape(z.primitive)) found.add('shapes');
    if (!isObject(position)) continue;
    if (position.location === 'header' || position.location === 'cookie') found.add('header and cookie parameters');
    if (position.style !== undefined || position.explode !== undefined) found.add('style and explode');
    if (position.whole !== undefined) found.add('whole bodies');
  }
}

import { at, listAt, numberAt, textAt, textsAt } from './entries.ts';
import type { Layers } from './shown-report.ts';

/** A tool as a model sees it, with what the check found out. */
export interface ShownTool {
  name: string;
  description: string | undefined;
  parameters: { name: string; type: string; isRequired: boolean; description: string | undefined }[];
  hint: 'readOnly' | 'destructive' | 'writes';
  /** What a call ended with. */
  outcome: string | undefined;
  prices: string[];
  /** Codes of findings. */
  problems: string[];
  tokens: number;
}

/** The tools of an MCP server, with prices of the payment layer. */
export function shownTools(layers: Layers): ShownTool[] {
  const entries = at(layers.mcp, 'entries');
  const outcomes = byName(listAt(entries, 'probe'), 'name');
  const quality = byName(listAt(entries, 'toolQuality', 'tools'), 'name');
  const prices = Map.groupBy(listAt(layers.payment, 'entries', 'prices'), (price) => textAt(price, 'toolName'));
  return listAt(entries, 'tools').map((tool) => {
    const name = textAt(tool, 'name') ?? '?';
    return {
      name,
      description: textAt(tool, 'description'),
      parameters: parametersOf(at(tool, 'inputSchema')),
      hint: hintOf(at(tool, 'annotations')),
      outcome: textAt(outcomes.get(name), 'outcome'),
      prices: (prices.get(name) ?? []).flatMap((price) => textAt(price, 'text') ?? []),
      problems: textsAt(quality.get(name), 'problems'),
      tokens: numberAt(quality.get(name), 'tokens') ?? tokensOf(tool),
    };
  });
}

function byName(items: readonly unknown[], key: string): Map<string | undefined, unknown> {
  return new Map(items.map((item) => [textAt(item, key), item]));
}

function parametersOf(schema: unknown): ShownTool['parameters'] {
  const required = textsAt(schema, 'required');
  const properties = at(schema, 'properties');
  if (typeof properties !== 'object' || properties === null) return [];
  return Object.entries(properties).map(([name, property]) => {
    const type = at(property, 'type');
    const shown = typeof type === 'string' ? type : Array.isArray(type) ? type.join(' | ') : 'any';
    return { name, type: shown, isRequired: required.includes(name), description: textAt(property, 'description') };
  });
}

/** Without hints, a tool may write. */
function hintOf(annotations: unknown): ShownTool['hint'] {
  if (at(annotations, 'readOnlyHint') === true) return 'readOnly';
  return at(annotations, 'destructiveHint') === true ? 'destructive' : 'writes';
}

/** As the validator counts them: a quarter of the characters. */
function tokensOf(tool: unknown): number {
  const [name, description, schema] = [at(tool, 'name'), at(tool, 'description') ?? '', at(tool, 'inputSchema')];
  return Math.ceil(JSON.stringify({ name, description, schema }).length / 4);
}

import { childPath, type Report } from '../finding.ts';
import { schemaFinding } from '../finding-codes.ts';
import { isObject } from '../json.ts';
import { plainToolName } from '../mcp-tool-name.ts';
import type { Tool } from '../tool.ts';
import { readTool, type ToolContext } from './tool.ts';

const maxTools = 8;

/** Under which name the tools stand; `routes` is their old one. */
export function toolsKey({ tools, routes }: Record<string, unknown>): 'tools' | 'routes' {
  return tools === undefined && routes !== undefined ? 'routes' : 'tools';
}

/** Reads `tools`, or `routes` under its old name (specification 2.1). */
export function readTools(
  main: Record<string, unknown>,
  context: Omit<ToolContext, 'path'> & { version: string },
): ReadonlyMap<string, Tool> {
  const { report, version } = context;
  const key = toolsKey(main);
  const isFormat2 = version.startsWith('2.');
  if (main.tools !== undefined && main.routes !== undefined) {
    report(
      schemaFinding('VAL017', 'main.routes', 'main has both tools and routes', {
        hint: 'Move all of them to tools; routes is its old name.',
      }),
    );
  } else if (key === 'routes' && !isFormat2) {
    report(schemaFinding('VAL018', 'main.routes', 'main.routes is deprecated', { hint: 'Rename it to tools.' }));
  }
  const value = main[key];
  if (!isObject(value)) {
    const severity = value === undefined && hasOtherPrimitives(main) ? 'warning' : 'error';
    const message = value === undefined ? 'main.tools is required' : `main.${key} must be an object`;
    report(
      schemaFinding('VAL016', `main.${key}`, message, {
        severity,
        hint: "Write tools: { getThing: { method: 'GET', path: '/thing', description: '…', parameters: [] } }.",
      }),
    );
    return new Map();
  }
  const entries = Object.entries(value);
  if (entries.length === 0 && !hasOtherPrimitives(main)) {
    report(
      schemaFinding('VAL016', `main.${key}`, 'main.tools has no tool', { hint: 'Describe at least one endpoint.' }),
    );
  }
  reportTooMany(entries.length, { key, isFormat2, report });
  const tools = new Map<string, Tool>();
  for (const [name, definition] of entries) {
    const path = childPath(`main.${key}`, name);
    const exposed = plainToolName(name);
    if (exposed !== name) {
      report(
        schemaFinding('VAL030', path, `tool ${JSON.stringify(name)} is exposed as ${exposed} (${path})`, {
          hint: 'Name it with letters and digits, such as getPrice: MCP clients take no other characters but - and _.',
        }),
      );
    }
    const tool = readTool(name, definition, { ...context, path });
    if (tool) tools.set(name, tool);
  }
  return tools;
}

function reportTooMany(count: number, { key, isFormat2, report }: { key: string; isFormat2: boolean; report: Report }) {
  if (count <= maxTools) return;
  if (isFormat2) {
    report(
      schemaFinding('VAL031', `main.${key}`, 'schema exceeds maximum of 8 routes', {
        hint: `It has ${count}. Split it into several schemas of the same namespace.`,
      }),
    );
    return;
  }
  report(
    schemaFinding('VAL038', `main.${key}`, `the schema has ${count} tools; 8 are the usual maximum`, {
      hint: 'Several schemas may share a namespace.',
    }),
  );
}

function hasOtherPrimitives(main: Record<string, unknown>): boolean {
  return ['resources', 'skills', 'prompts'].some((key) => {
    const value = main[key];
    return Array.isArray(value) ? value.length > 0 : isObject(value) && Object.keys(value).length > 0;
  });
}

import { exposeSchemas, SchemaKit, toolNames } from '@schemakit/core';
import { isObject } from '@schemakit/core/internal';
import type { ToolGroup } from '../group/group-operations.ts';
import type { Omission } from '../import-codes.ts';
import type { OperationEntry, OperationPlan } from '../plan/plan-operation.ts';
import { componentOf } from '../plan/plan-output.ts';
import { shortenText } from '../plan/shorten-text.ts';
import type { JsonObject } from '../read/read-document.ts';
import { schemaFile } from './schema-file.ts';

export interface ImportedTool {
  /** On MCP, such as `pets__listPets`. */
  name: string;
  file: string;
  method: string;
  path: string;
  description: string;
  /** About what its entry in `tools/list` costs a model: a token for four characters. */
  tokens: number;
}

interface Source {
  document: JsonObject;
  /** Such as `OpenAPI 3.1`. */
  from: string;
  url: string | undefined;
  namespace: string;
  names: ReadonlyMap<OperationEntry, string>;
  omissions: ReadonlyMap<OperationPlan, readonly Omission[]>;
  /** The code of a file with these tools. */
  handlers?: ((tools: readonly string[]) => string) | undefined;
}

export interface WrittenGroup {
  path: string;
  /** Empty if no tool was left. */
  text: string;
  tools: ImportedTool[];
  /** What is in its `requiredServerParams`. */
  secrets: readonly string[];
  omissions: Omission[];
}

/** Writes the file of a group. Tools that the format's own checks refuse are left out, and examples that do not fit. */
export function writeGroup(group: ToolGroup, source: Source): WrittenGroup {
  const { namespace, names, omissions } = source;
  const path = `${group.file}.mjs`;
  const plans = new Map(group.plans.map((plan) => [names.get(plan.entry) ?? '', plan]));
  const main = groupMain(group, plans, source);
  const refused = removeRefused(main, plans);
  const tools = main.tools as Record<string, JsonObject>;
  const kept = [...plans].filter(([name]) => Object.hasOwn(tools, name));
  if (kept.length === 0) return { path, text: '', tools: [], secrets: [], omissions: refused };
  const comments = new Map(
    kept.flatMap(([name, plan]) => commentOf(omissions.get(plan) ?? []).map((text) => [name, text])),
  );
  const from = `${source.from}${source.url === undefined ? '' : `, ${source.url}`}`;
  const listings = new Map(exposeSchemas([{ main }]).map(({ listing }) => [listing.name, listing]));
  const heading = `${main.name}. Imported from ${from}.`;
  const handlers = source.handlers?.(kept.map(([name]) => name)) ?? '';
  return {
    path,
    text: schemaFile({ main, heading, comments, componentOf, handlers }),
    tools: kept.map(([toolName, { entry, tool }]) => {
      const { mcp: name } = toolNames({ namespace, toolName });
      const tokens = Math.ceil(JSON.stringify(listings.get(name) ?? '').length / 4);
      return {
        name,
        file: path,
        method: entry.method,
        path: entry.path,
        description: String(tool.description),
        tokens,
      };
    }),
    secrets: group.plans[0]?.auth.requiredServerParams ?? [],
    omissions: refused,
  };
}

function groupMain(
  { topic, plans: members }: ToolGroup,
  plans: ReadonlyMap<string, OperationPlan>,
  source: Source,
): JsonObject {
  const { document, namespace } = source;
  const [first] = members;
  const info = isObject(document.info) ? document.info : {};
  const tags = Array.isArray(document.tags) ? document.tags.filter(isObject) : [];
  const tag = tags.find(({ name }) => name === topic);
  const title = shortenText(info.title, 80).text || namespace;
  const own = shortenText(tag?.description, 240).text;
  const general = shortenText(info.description, 240).text;
  const { auth, headers = {}, requiredServerParams = [] } = first?.auth ?? {};
  const links = [document, tag].flatMap((holder) => (isObject(holder?.externalDocs) ? holder.externalDocs.url : []));
  const docs = [...links, ...members.map((plan) => plan.docs)].filter((url) => typeof url === 'string');
  return {
    namespace,
    name: topic === '' ? title : `${title}: ${topic}`,
    description: own || general || `${title}: ${topic}.`,
    version: '3.0.0',
    docs: [...new Set(docs)],
    tags: topic === '' ? [] : [topic],
    root: first?.root,
    requiredServerParams,
    requiredLibraries: [],
    headers,
    ...(auth !== undefined && { auth: withScopes(auth, members) }),
    tools: Object.fromEntries([...plans].map(([name, { tool }]) => [name, tool])),
  };
}

function withScopes(auth: JsonObject, members: readonly OperationPlan[]): JsonObject {
  const scopes = new Set(
    members.flatMap((plan) => (Array.isArray(plan.auth.auth?.scopes) ? plan.auth.auth.scopes : [])),
  );
  return scopes.size === 0 ? auth : { ...auth, scopes: [...scopes].toSorted() };
}

/** Removes what the checks of the format refuse, so that every written file loads. */
function removeRefused(main: JsonObject, plans: ReadonlyMap<string, OperationPlan>): Omission[] {
  const tools = main.tools as Record<string, JsonObject>;
  const { findings } = SchemaKit.validateMain({ main });
  const omissions: Omission[] = [];
  const badTests = new Map<string, Set<number>>();
  for (const { code, severity, path, message } of findings) {
    const [, name = '', test] = /^main\.tools\.(\w+)(?:\.tests\[(\d+)\])?/.exec(path) ?? [];
    if (test !== undefined) badTests.set(name, (badTests.get(name) ?? new Set()).add(Number(test)));
    else if (severity === 'error') {
      for (const refused of name === '' ? plans.keys() : [name]) {
        const pointer = plans.get(refused)?.entry.operation.pointer ?? '';
        if (!Object.hasOwn(tools, refused)) continue;
        delete tools[refused];
        const hint = 'Write the tool by hand, or report the document to SchemaKit.';
        omissions.push({ code: 'IMP016', pointer, message: `${code}: ${message}`, hint });
      }
    }
  }
  for (const [name, indexes] of badTests) {
    const tool = tools[name];
    if (!Array.isArray(tool?.tests)) continue;
    tool.tests = tool.tests.filter((_, index) => !indexes.has(index));
    if ((tool.tests as unknown[]).length === 0) delete tool.tests;
  }
  return omissions;
}

/** What a tool does not say, in its own file. */
function commentOf(omissions: readonly Omission[]): string[] {
  const messages = new Set(
    omissions
      .filter(({ code, pointer }) => !/^IMP0(23|32)$/.test(code) && !pointer.includes('/responses/'))
      .map(({ message }) => message),
  );
  return messages.size === 0 ? [] : [`Left out: ${[...messages].join('; ')}.`];
}

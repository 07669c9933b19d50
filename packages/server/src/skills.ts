import type { Resource, Server } from '@modelcontextprotocol/server';
import type { Skill } from '@modelcontextprotocol/server/ext/skills';
import { page } from './catalog/page.ts';
import type { ReloadableCatalog, ServedSkill, ToolCatalog } from './catalog/tool-catalog.ts';
import { anyParams, type Params, protocolError } from './protocol.ts';

/** The Skills extension of MCP (SEP-2640, ext-skills/specification/stable/skills.mdx). */
export const skillsExtension = 'io.modelcontextprotocol/skills';

type Prompts = ToolCatalog['prompts'];

/** The skills of a catalog, with their files: entries of `skills/list`, and texts by URI. */
interface SkillSet {
  entries: readonly Skill[];
  files: ReadonlyMap<string, string>;
}

const markdown = 'text/markdown';
const directory = 'inode/directory';
const scheme = 'skill://';

// A catalog that is replaced has new prompts.
const skillSets = new WeakMap<Prompts, Promise<SkillSet>>();

export function skillsOf({ all }: Prompts): ServedSkill[] {
  return all.flatMap(({ skill }) => skill ?? []);
}

/** The entries of skills in `resources/list`. */
export function listedSkills(prompts: Prompts): Resource[] {
  return skillsOf(prompts).map(({ path, name, description }) => {
    return { uri: `${scheme}${path}/SKILL.md`, name, description, mimeType: markdown };
  });
}

/** The contents of a skill's file; undefined for another URI. */
export async function readSkillFile(
  prompts: Prompts,
  uri: string,
): Promise<{ uri: string; mimeType: string; text: string } | undefined> {
  if (!uri.startsWith(scheme)) return undefined;
  const text = (await skillSet(prompts)).files.get(uri);
  return text === undefined ? undefined : { uri, mimeType: markdown, text };
}

export interface SkillOptions {
  pageSize: number;
  /** How long clients may cache the lists, and whether proxies may share them (MCP 2026-07-28). */
  hint: { ttlMs: number; cacheScope: 'public' | 'private' };
  /** Receives the problem of a skill that cannot be served. */
  onError?: ((error: Error) => void) | undefined;
}

/** `skills/list`, `skills/get` and `resources/directory/read`. */
export function serveSkills(
  server: Server,
  catalog: ReloadableCatalog,
  { pageSize, hint, onError }: SkillOptions,
): void {
  const current = () => skillSet(catalog.current.prompts, onError);
  server.setRequestHandler('skills/list', { params: anyParams }, async (given) => {
    const { entries, next } = pageOf((await current()).entries, given, pageSize);
    return { skills: entries, ...next, ...hint };
  });
  server.setRequestHandler('skills/get', { params: anyParams }, async ({ uri }) => {
    const skill = (await current()).entries.find((entry) => entry.uri === uri);
    if (skill === undefined) throw unknownUri(`No skill is at ${uri}. Use a uri of skills/list.`, uri);
    return { skill, ...hint };
  });
  server.setRequestHandler('resources/directory/read', { params: anyParams }, async (given) => {
    const { uri } = given;
    const children = childrenOf(String(uri), await current());
    if (children.length === 0) throw unknownUri(`${uri} is not a directory of a skill`, uri);
    const { entries, next } = pageOf(children, given, pageSize);
    return { resources: entries, ...next, ...hint };
  });
}

function pageOf<Entry extends { uri: string }>(
  list: readonly Entry[],
  { cursor }: Params,
  pageSize: number,
): NonNullable<ReturnType<typeof page<Entry>>> {
  const after = cursor === undefined ? undefined : String(cursor);
  const found = page(list, ({ uri }) => uri, { cursor: after, pageSize });
  if (found === undefined) throw unknownUri('Invalid cursor. Request the list without one.', cursor);
  return found;
}

function unknownUri(message: string, uri: unknown): Error {
  return protocolError(message, { data: { uri } });
}

function skillSet(prompts: Prompts, onError?: (error: Error) => void): Promise<SkillSet> {
  const known = skillSets.get(prompts) ?? openSkills(skillsOf(prompts), onError);
  skillSets.set(prompts, known);
  return known;
}

/** Leaves out skills that break a rule of the extension, such as its limits of 512 files and 16 MiB. */
async function openSkills(skills: readonly ServedSkill[], onError?: (error: Error) => void): Promise<SkillSet> {
  const { skillEntry } = await import('@modelcontextprotocol/server/ext/skills');
  const entries: Skill[] = [];
  const files = new Map<string, string>();
  for (const skill of skills) {
    try {
      const texts = await skill.files();
      entries.push(await skillEntry(skill.path, texts));
      for (const [path, text] of Object.entries(texts)) files.set(`${scheme}${skill.path}/${path}`, text);
    } catch (error) {
      onError?.(error instanceof Error ? error : new Error(String(error)));
    }
  }
  return { entries, files };
}

/** The direct children of a directory; none for anything else. */
function childrenOf(uri: string, { entries, files }: SkillSet): Resource[] {
  const parent = uri.endsWith('/') ? uri : `${uri}/`;
  const below = [...files.keys()].filter((file) => file.startsWith(parent)).map((file) => file.slice(parent.length));
  const names = [...new Set(below.map((path) => path.split('/', 1)[0] ?? ''))];
  return names.map((name): Resource => {
    const child = `${parent}${name}`;
    if (!files.has(child)) return { uri: child, name, mimeType: directory };
    const { frontmatter } = entries.find((entry) => entry.uri === child) ?? {};
    const { name: title = name, description } = frontmatter ?? {};
    return { uri: child, name: title, ...(description && { description }), mimeType: markdown };
  });
}

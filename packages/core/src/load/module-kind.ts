import { analyzeModule } from '../module/analyze-module.ts';
import type { Finding } from '../schema/finding.ts';
import { detectLegacy } from '../schema/legacy/adapt-legacy.ts';
import { isAgentManifest } from '../schema/main-of.ts';
import { readModuleFile } from './read-file.ts';

/** What a module is about. */
export type ModuleKind = 'schema' | 'agent' | 'list' | 'skill' | 'prompt';

const kinds = { agent: 'agent', list: 'list', skill: 'skill', prompt: 'prompt', content: 'prompt' } as const;

/**
 * Tells from the exports of a file what it is about, without running it. Undefined for other modules, such as scripts. A file
 * that cannot be read or parsed may be a schema: loading it reports why.
 */
export function moduleKind(file: string): ModuleKind | undefined {
  // Older manifests are JSON. A skill in Markdown is refused, but as a skill.
  if (/\.json$/i.test(file)) return 'agent';
  if (/\.md$/i.test(file)) return 'skill';
  const read = readModuleFile(file);
  if (!read.ok) return 'schema';
  const reading = analyzeModule(read.source, { file });
  const main = reading.read('main');
  if (main.status !== 'absent') return main.status === 'read' && isAgentManifest(main.value) ? 'agent' : 'schema';
  const schema = reading.read('schema');
  const isOther = schema.status === 'read' && !detectLegacy({ module: { schema: schema.value } }).isLegacy;
  if (schema.status !== 'absent' && !isOther) return 'schema';
  const [kind] = Object.entries(kinds).flatMap(([name, kind]) => (reading.exports.includes(name) ? kind : []));
  return kind;
}

/** Whether what was loaded as a schema is another module: an agent, a list, a prompt, a skill or a script. */
export function isOtherModule({ findings }: { findings: readonly Finding[] }): boolean {
  return findings.some(({ code }) => code === 'VAL001' || code === 'VAL008');
}

import { createHash } from 'node:crypto';
import type { Session } from '../../connect/session.ts';
import { partEvidence } from '../../findings/evidence.ts';
import { type Finding, finding } from '../../findings/finding.ts';
import { field, isPlainObject, type PlainObject, textOrNull } from '../../findings/plain-object.ts';
import { exactText, plainText } from '../../findings/plain-text.ts';
import { listAll } from '../../list/list-all.ts';
import type { Clock } from '../../network/clock.ts';
import { type Exchange, explainAnswer, resultOf } from '../../network/exchange.ts';
import { suspicionIn } from './poisoning.ts';
import type { QualityCode } from './quality-codes.ts';
import { hasText } from './schema-problems.ts';

const EXTENSION = 'io.modelcontextprotocol/skills';

/** The skills of a server. */
export interface SkillsView extends PlainObject {
  count: number;
  skills: { uri: string; name: string | null; description: string | null; files: number | 'dynamic' | null }[];
  /** Files whose digest is right. */
  filesChecked: number;
}

const MAX_SKILLS = 50;
const MAX_FILES = 30;
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_MS = 4000;
/** Of the extension. */
const MAX_SKILL_FILES = 512;
const MAX_SKILL_BYTES = 16 * 1024 * 1024;
const UNKNOWN = 'skill://schemakit-unknown/SKILL.md';

/** Reads the skills of a server that declares the Skills extension, and checks digests. Undefined without the extension. */
export async function checkSkills(
  session: Session,
  clock: Clock,
): Promise<{ view: SkillsView; findings: Finding[] } | undefined> {
  const extensions = field(session.capabilities, 'extensions');
  if (!isPlainObject(field(extensions, EXTENSION))) return undefined;
  const ask = (method: string, params: PlainObject): Promise<Exchange> =>
    session.request(method, params, Math.min(MAX_MS, clock.remaining()));
  const findings: Finding[] = [];
  const view: SkillsView = { count: 0, skills: [], filesChecked: 0 };
  const part = clock.part(1 / 3);
  const listing = await listAll(session, { method: 'skills/list', key: 'skills', id: 'uri' }, part);
  part.release();
  view.count = listing.items.length;
  const wrong = [listing.failure, listing.malformed].filter((text) => text !== undefined).join('; ');
  if (wrong !== '') findings.push(finding('SKL-001', 'skills', `skills/list: ${wrong}`));
  if (field(session.capabilities, 'resources') === undefined)
    findings.push(finding('SKL-001', 'capabilities', 'The server declares skills, but no `resources`'));
  const reader = { ask, clock, files: MAX_FILES, bytes: MAX_BYTES };
  for (const skill of listing.items.slice(0, MAX_SKILLS)) {
    const uri = String(field(skill, 'uri'));
    const frontmatter = field(skill, 'frontmatter');
    const [name, description] = ['name', 'description'].map((key) => textOrNull(field(frontmatter, key)));
    const resources = field(skill, 'resources');
    const files = Array.isArray(resources) ? resources.length : resources === 'dynamic' ? resources : null;
    view.skills.push({ uri, name: name ?? null, description: description ?? null, files });
    const location = `skills.${exactText(uri, 120)}`;
    const say = (code: QualityCode, text: string, of: unknown = skill): void => {
      findings.push(finding(code, location, text, { evidence: partEvidence(`skills/list ${uri}`, of) }));
    };
    for (const problem of entryProblems(uri, { name, description, resources })) say('SKL-002', problem);
    const { order, hidden } = suspicionIn(description ?? '');
    if (order !== undefined) say('TOOL-020', order);
    if (hidden !== undefined) say('TOOL-021', hidden);
    view.filesChecked += await checkFiles(resources, reader, say);
  }
  const [first] = listing.items;
  if (first !== undefined && clock.remaining() > 0) {
    const exchange = await ask('skills/get', { uri: field(first, 'uri') });
    const got = field(field(resultOf(exchange), 'skill'), 'uri');
    const text = `skills/get: ${resultOf(exchange) === undefined ? explainAnswer(exchange) : 'another skill than asked for'}`;
    if (got !== field(first, 'uri')) findings.push(finding('SKL-003', 'skills', text));
  }
  if (clock.remaining() > 0) {
    const exchange = await ask('skills/get', { uri: UNKNOWN });
    if (resultOf(exchange) !== undefined)
      findings.push(finding('SKL-006', 'skills', `skills/get of ${UNKNOWN} gets a result, expected the error -32602`));
  }
  return { view, findings };
}

/** What is wrong with an entry, each as a sentence. */
function entryProblems(
  uri: string,
  { name, description, resources }: { name: unknown; description: unknown; resources: unknown },
): string[] {
  const folder = /([^/]+)\/SKILL\.md$/.exec(uri)?.[1];
  const files = Array.isArray(resources) ? resources : [];
  const sizes = files.map((file) => field(file, 'size'));
  const size = sizes.reduce<number>((sum, one) => sum + (typeof one === 'number' ? one : 0), 0);
  const isFile = (file: unknown): boolean =>
    typeof field(file, 'uri') === 'string' &&
    typeof field(file, 'size') === 'number' &&
    /^sha256:[0-9a-f]{64}$/.test(String(field(file, 'digest')));
  return [
    ...(folder === undefined ? ['The URI does not end with `/SKILL.md`'] : []),
    ...(hasText(name) ? [] : ['`frontmatter.name` is missing']),
    ...(hasText(description) ? [] : ['`frontmatter.description` is missing']),
    ...(folder !== undefined && hasText(name) && folder !== name
      ? [`The folder ${plainText(folder, 60)} is not the name ${plainText(name, 60)}`]
      : []),
    ...(Array.isArray(resources) || resources === 'dynamic' ? [] : ['`resources` is no array and not "dynamic"']),
    ...(files.every(isFile)
      ? []
      : ['A file has no `uri`, no `size`, or no `digest` of the form sha256:<64 hex digits>']),
    ...(Array.isArray(resources) && !files.some((file) => field(file, 'uri') === uri)
      ? ['`resources` lacks SKILL.md itself']
      : []),
    ...(files.length > MAX_SKILL_FILES || size > MAX_SKILL_BYTES
      ? [`${files.length} files of ${size} bytes; the limits are ${MAX_SKILL_FILES} files and 16 MiB`]
      : []),
  ];
}

interface Reader {
  ask(method: string, params: PlainObject): Promise<Exchange>;
  clock: Clock;
  /** How many files and bytes may still be read. */
  files: number;
  bytes: number;
}

/** Reads files and compares their digests. Returns how many are right. */
async function checkFiles(
  resources: unknown,
  reader: Reader,
  say: (code: QualityCode, text: string, of: unknown) => void,
): Promise<number> {
  let right = 0;
  for (const file of Array.isArray(resources) ? resources : []) {
    if (reader.files-- <= 0 || reader.bytes <= 0 || reader.clock.remaining() === 0) return right;
    const [uri, digest] = [field(file, 'uri'), field(file, 'digest')];
    if (typeof uri !== 'string' || typeof digest !== 'string') continue;
    const exchange = await reader.ask('resources/read', { uri });
    const bytes = contentOf(resultOf(exchange), uri);
    const shown = plainText(uri, 120);
    if (bytes === undefined) {
      if (reader.clock.remaining() > 0) say('SKL-004', `${shown}: ${explainAnswer(exchange)}`, file);
      continue;
    }
    reader.bytes -= bytes.length;
    const found = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
    const size = field(file, 'size');
    if (found !== digest) say('SKL-005', `${shown} has the digest ${found}`, file);
    else if (size !== bytes.length) say('SKL-005', `${shown} has ${bytes.length} bytes`, file);
    else right++;
  }
  return right;
}

/** The bytes of a resource. */
function contentOf(result: unknown, uri: string): Buffer | undefined {
  const contents = field(result, 'contents');
  const items: unknown[] = Array.isArray(contents) ? contents : [];
  const item = items.find((one) => field(one, 'uri') === uri) ?? items[0];
  const [text, blob] = [field(item, 'text'), field(item, 'blob')];
  if (typeof text === 'string') return Buffer.from(text);
  return typeof blob === 'string' ? Buffer.from(blob, 'base64') : undefined;
}

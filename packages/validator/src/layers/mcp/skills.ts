import { SKILL_LIMITS, SKILLS_EXTENSION_ID, SkillVerificationError } from '@modelcontextprotocol/client/ext/skills';
import type { Session } from '../../connect/session.ts';
import { partEvidence } from '../../findings/evidence.ts';
import { type Finding, finding } from '../../findings/finding.ts';
import { field, isPlainObject, listOf, type PlainObject, present, textOrNull } from '../../findings/plain-object.ts';
import { exactText, plainText } from '../../findings/plain-text.ts';
import { listAll } from '../../list/list-all.ts';
import type { Clock } from '../../network/clock.ts';
import { type Exchange, explainAnswer, resultOf } from '../../network/exchange.ts';
import { poisonIn } from './poisoning.ts';
import type { QualityCode } from './quality-codes.ts';

/** The skills of a server. */
export interface SkillsView extends PlainObject {
  count: number;
  skills: { uri: string; name: string | null; description: string | null; files: number | 'dynamic' | null }[];
  /** Files whose digest is right. */
  filesChecked: number;
}

const MAX_SKILLS = 50;
const MAX_FILES = 50;
const MAX_MS = 4000;
const UNKNOWN = 'skill://schemakit-unknown/SKILL.md';

/** Reads the skills of a server that declares the Skills extension, and checks digests. Undefined without the extension. */
export async function checkSkills(
  session: Session,
  clock: Clock,
): Promise<{ view: SkillsView; findings: Finding[] } | undefined> {
  if (!isPlainObject(field(field(session.capabilities, 'extensions'), SKILLS_EXTENSION_ID))) return undefined;
  const part = clock.part(1 / 3);
  const listing = await listAll(session, { method: 'skills/list', key: 'skills', id: 'uri' }, part);
  part.release();
  const wrong = present([listing.failure, listing.malformed]).join('; ');
  const hasResources = field(session.capabilities, 'resources') !== undefined;
  const skills = listing.items.slice(0, MAX_SKILLS);
  const read = await readFiles(session, skills, clock);
  return {
    view: { count: listing.items.length, skills: skills.map(skillView), filesChecked: read.right },
    findings: present([
      wrong !== '' && finding('SKL-001', 'skills', `skills/list: ${wrong}`),
      !hasResources && finding('SKL-001', 'capabilities', 'The server declares skills, but no `resources`'),
      ...skills.flatMap(entryFindings),
      ...read.findings,
      ...(await askForOne(session, skills[0], clock)),
    ]),
  };
}

function skillView(skill: PlainObject): SkillsView['skills'][number] {
  const [frontmatter, resources] = [field(skill, 'frontmatter'), field(skill, 'resources')];
  return {
    uri: String(field(skill, 'uri')),
    name: textOrNull(field(frontmatter, 'name')),
    description: textOrNull(field(frontmatter, 'description')),
    files: Array.isArray(resources) ? resources.length : resources === 'dynamic' ? resources : null,
  };
}

type Say = (code: QualityCode, text: string) => Finding;

function sayOf(skill: PlainObject): Say {
  const uri = String(field(skill, 'uri'));
  const evidence = partEvidence(`skills/list ${uri}`, skill);
  return (code, text) => finding(code, `skills.${exactText(uri, 120)}`, text, { evidence });
}

/** What a description and the list of files tell without a request. */
function entryFindings(skill: PlainObject): Finding[] {
  const files = listOf(field(skill, 'resources'));
  const bytes = files.reduce<number>((sum, file) => sum + (Number(field(file, 'size')) || 0), 0);
  const isLarge = files.length > SKILL_LIMITS.files || bytes > SKILL_LIMITS.bytes;
  const say = sayOf(skill);
  return [
    ...present([
      isLarge &&
        say(
          'SKL-002',
          `${files.length} files of ${bytes} bytes; the limits are ${SKILL_LIMITS.files} files and 16 MiB`,
        ),
    ]),
    ...poisonIn([skillView(skill).description ?? '']).map(({ code, passage }) => say(code, passage)),
  ];
}

/** Reads each SKILL.md, then other files. The client of the SDK checks entries, digests and sizes. */
async function readFiles(
  session: Session,
  skills: readonly PlainObject[],
  clock: Clock,
): Promise<{ right: number; findings: Finding[] }> {
  const readable = skills.filter((skill) => listOf(field(skill, 'resources')).length <= SKILL_LIMITS.files);
  const wrong = new Set<PlainObject>();
  const findings: Finding[] = [];
  let right = 0;
  for (const [skill, uri] of [...readable.map(manifestOf), ...readable.flatMap(otherFiles)].slice(0, MAX_FILES)) {
    if (wrong.has(skill)) continue;
    const exchange = await session.readSkill(skill, uri, Math.min(MAX_MS, clock.remaining()));
    // Without time, a failure says nothing about the file.
    if (clock.remaining() === 0) break;
    const { error } = exchange;
    if (error === undefined) right += Array.isArray(field(skill, 'resources')) ? 1 : 0;
    else findings.push(sayOf(skill)(fileCode(error), `${plainText(uri, 120)}: ${explainAnswer(exchange)}`));
    if (error instanceof TypeError) wrong.add(skill);
  }
  return { right, findings };
}

type File = [skill: PlainObject, uri: string];

function manifestOf(skill: PlainObject): File {
  return [skill, String(field(skill, 'uri'))];
}

function otherFiles(skill: PlainObject): File[] {
  const uris = listOf(field(skill, 'resources')).map((file) => field(file, 'uri'));
  return uris.flatMap((uri) => (typeof uri === 'string' && uri !== field(skill, 'uri') ? [[skill, uri]] : []));
}

/** An invalid entry is a `TypeError` of the SDK. */
function fileCode(error: unknown): QualityCode {
  if (error instanceof SkillVerificationError && error.reason !== 'frontmatter') return 'SKL-005';
  return error instanceof SkillVerificationError || error instanceof TypeError ? 'SKL-002' : 'SKL-004';
}

/** Asks for the first skill again, and for one that does not exist. */
async function askForOne(session: Session, first: PlainObject | undefined, clock: Clock): Promise<Finding[]> {
  const ask = async (uri: unknown): Promise<Exchange | undefined> =>
    clock.remaining() === 0
      ? undefined
      : await session.request('skills/get', { uri }, Math.min(MAX_MS, clock.remaining()));
  const listed = first && (await ask(field(first, 'uri')));
  const unknown = await ask(UNKNOWN);
  const got = listed && resultOf(listed);
  const isOther = listed !== undefined && field(field(got, 'skill'), 'uri') !== field(first, 'uri');
  return present([
    isOther &&
      finding(
        'SKL-003',
        'skills',
        `skills/get: ${got === undefined ? explainAnswer(listed) : 'another skill than asked for'}`,
      ),
    unknown !== undefined &&
      resultOf(unknown) !== undefined &&
      finding('SKL-006', 'skills', `skills/get of ${UNKNOWN} gets a result, expected the error -32602`),
  ]);
}

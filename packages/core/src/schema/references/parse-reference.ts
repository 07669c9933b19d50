import { type CheckResult, checkResult, type Finding } from '../finding.ts';
import { quote } from '../input/describe-input.ts';
import { suggestWord } from '../nearest-word.ts';
import { type Place, ruleReport } from '../rule-report.ts';

export interface ParseReferenceOptions {
  /** Accepts only full ids, `<namespace>/<type>/<name>`. Default false. */
  fullId?: boolean;
  /** Path of the reference, for findings. Default empty. */
  path?: string;
}

export interface ParsedReference extends CheckResult {
  reference: Reference | null;
}

const fileTypes = ['tool', 'resource', 'prompt', 'skill'] as const;
const idTypes: readonly PartType[] = [...fileTypes, 'list'];
const forms =
  'Write <source>/<file>.mjs, <source>/<file>.mjs::tool::<name>, <namespace>/tool/<name> or <namespace>_<name>.';

/**
 * Reads a reference in any of its forms: those of files (`<source>/<file>.mjs`, with `::tool::<name>`,
 * `::resource::<name>`, `::skill::<name>` or `::<name>` after it), ids (`<namespace>/tool/<name>`, `<namespace>/<name>`,
 * `<namespace>/<file>::<name>`), and names of tools as MCP and the command line show them.
 *
 * @example
 * console.log(parseReference('coast/tides.mjs::tool::getTides').reference?.form); // file
 */
export function parseReference(
  text: unknown,
  { fullId = false, path = '' }: ParseReferenceOptions = {},
): ParsedReference {
  const findings: Finding[] = [];
  const context = { path, fullId, report: ruleReport((finding) => findings.push(finding)) };
  const reference = isReferenceText(text) ? read(text.trim(), context) : refuse(text, context);
  const checked = checkResult(findings);
  return { ...checked, reference: checked.status ? (reference ?? null) : null };
}

interface Context extends Place {
  fullId: boolean;
}

function isReferenceText(text: unknown): text is string {
  return typeof text === 'string' && text.trim() !== '' && text.length <= 1_000 && !/\p{Cc}/u.test(text);
}

function refuse(text: unknown, { path, report }: Context): undefined {
  const given = typeof text === 'string' ? quote(text) : `a value of type ${text === null ? 'null' : typeof text}`;
  return report('REF001', path, `${given} is not a reference`, forms);
}

function read(text: string, context: Context): Reference | undefined {
  if (context.fullId) return parseId(text, context);
  const [, file, rest] = /^(.*?\.mjs)(?:::(.*))?$/s.exec(text) ?? [];
  if (file !== undefined) return parseFile(file, rest, context);
  if (text.includes('/')) return parseId(text, context);
  return /\s|::/.test(text) ? refuse(text, context) : { form: 'name', name: text };
}

function parseFile(file: string, rest: string | undefined, context: Context): FileReference | undefined {
  const [source = '', ...segments] = file.split('/');
  const isInside = [source, ...segments].every((segment) => segment !== '' && segment !== '.' && segment !== '..');
  if (segments.length === 0 || !isInside || /\\|^[A-Za-z]:/.test(file)) {
    const message = `${quote(file)} is not a file of a source`;
    return context.report('REF002', context.path, message, 'Write <source>/<file>.mjs, with forward slashes.');
  }
  const place = { form: 'file', source, file: segments.join('/') } as const;
  if (rest === undefined) return place;
  const part = parsePart(rest, context);
  return part && { ...place, part };
}

/** The part after the file: `<type>::<name>`, or the name of a tool. */
function parsePart(text: string, { path, report }: Context): FileReference['part'] {
  const [, word, typed] = /^(\w*)::(.*)$/s.exec(text) ?? [];
  const type = word === undefined ? 'tool' : fileTypes.find((known) => known === word);
  const name = word === undefined ? text : (typed ?? '');
  if (type === undefined) {
    const hint = suggestWord(word ?? '', fileTypes) ?? `Types are ${fileTypes.join(', ')}.`;
    return report('REF003', path, `${quote(word ?? '')} is not a type of a reference`, hint);
  }
  if (name.trim() === '') return report('REF004', path, 'the name after :: is missing', `Write the name of a ${type}.`);
  return { type, name };
}

function parseId(text: string, context: Context): IdReference | undefined {
  const { path, fullId, report } = context;
  const slash = text.indexOf('/');
  if (slash === -1) return report('ID001', path, `${quote(text)} is not an id`, 'Write <namespace>/tool/<name>.');
  const namespace = text.slice(0, slash);
  if (!/^[a-z][a-z0-9-]*$/.test(namespace)) {
    const message = `${quote(namespace)} is not a namespace (${quote(text)})`;
    return report('ID002', path, message, 'Namespaces have lowercase letters, digits and hyphens.');
  }
  const rest = text.slice(slash + 1);
  const [, word, name] = /^([^/:]*)\/(.*)$/s.exec(rest) ?? [];
  if (word !== undefined) return parseTypedId({ namespace, word, name: name ?? '' }, context);
  if (fullId) return report('ID006', path, `${quote(text)} is not a full id`, `Write ${namespace}/tool/<name>.`);
  const [, file, part] = /^(.*?)::(.*)$/s.exec(rest) ?? [];
  if (file !== undefined) return parseFileId({ namespace, file, part: part ?? '' }, context);
  if (rest.trim() === '') return reportNoName(text, context);
  report('ID005', path, `${quote(text)} has no type`, `Write ${namespace}/tool/${rest}.`);
  return { form: 'id', namespace, name: rest };
}

function parseTypedId(
  { namespace, word, name }: { namespace: string; word: string; name: string },
  context: Context,
): IdReference | undefined {
  const type = idTypes.find((known) => known === word);
  if (type === undefined) {
    const hint = suggestWord(word, idTypes) ?? `Types are ${idTypes.join(', ')}.`;
    return context.report('ID003', context.path, `${quote(word)} is not a type of an id`, hint);
  }
  return name.trim() === '' ? reportNoName(`${namespace}/${word}/`, context) : { form: 'id', namespace, type, name };
}

function parseFileId(
  { namespace, file, part }: { namespace: string; file: string; part: string },
  context: Context,
): IdReference | undefined {
  if (file === '' || file.includes('/')) return reportNoName(`${namespace}/${file}::`, context);
  const read = parsePart(part, context);
  return read && { form: 'id', namespace, file, ...read };
}

function reportNoName(text: string, { path, report }: Context): undefined {
  return report('ID004', path, `${quote(text)} has no name`, 'Write <namespace>/tool/<name>.');
}

/** The kinds of parts that a reference can name. */
export type PartType = 'tool' | 'resource' | 'prompt' | 'skill' | 'list';

/** A schema file of a source, or one part of it. */
export interface FileReference {
  form: 'file';
  source: string;
  /** Path inside the source, with forward slashes: `<file>.mjs`. */
  file: string;
  /** Absent if all tools of the file are meant. */
  part?: { type: Exclude<PartType, 'list'>; name: string };
}

/** A part of any schema of a namespace: `<namespace>/<type>/<name>`, and its longer and shorter forms. */
export interface IdReference {
  form: 'id';
  /** The namespace, or the name of the provider's folder. */
  namespace: string;
  /** Absent in the short form `<namespace>/<name>`. */
  type?: PartType;
  name: string;
  /** Name of the schema file without `.mjs`, if the reference has it: `<namespace>/<file>::<name>`. */
  file?: string;
}

/** One of the names under which a tool is shown. Only a set of tools can tell which tool it is. */
export interface NameReference {
  form: 'name';
  name: string;
}

export type Reference = FileReference | IdReference | NameReference;

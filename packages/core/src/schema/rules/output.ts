import { childPath } from '../finding.ts';
import { fieldsOf, valuesOf } from '../format/fields.generated.ts';
import { describeGiven, quote } from '../input/describe-input.ts';
import { type Fields, isObject, type JsonObject } from '../json.ts';
import type { Place } from '../rule-report.ts';
import type { Output } from '../schema.ts';
import { reportUnknownFields, textField } from './fields.ts';

/** Parses `output: { mimeType, schema }`. Findings are warnings, because existing files use many media types and depths. */
export function parseOutput(value: unknown, { path, report }: Place): Output | undefined {
  const place = `${path}.output`;
  if (value === undefined) {
    const hint = "Add output: { mimeType: 'application/json', schema: { type: 'object', properties: { … } } }.";
    return report('VAL036', place, `no output is declared (${path})`, hint);
  }
  if (!isObject(value)) return report('VAL061', place, `output must be { mimeType, schema } (${path})`);
  // `generateOutputSchema` adds `type` and `fields`.
  reportUnknownFields(value, [...fieldsOf.Output, 'type', 'fields'], { path: place, report });
  const mimeType = textField(value, 'mimeType');
  if (mimeType === undefined || !/^[^\s/;]+\/[^\s/;]+\s*(;.*)?$/s.test(mimeType)) {
    const hint = 'Write "application/json", "text/plain", "image/png" or what the API answers with.';
    report('VAL060', `${place}.mimeType`, `output.mimeType is not a media type (${path})`, hint);
  }
  if (!isObject(value.schema)) {
    report('VAL061', `${place}.schema`, `output.schema must be an object (${path})`);
    return { mimeType: mimeType ?? 'application/json' };
  }
  checkOutputSchema(value.schema, { path: `${place}.schema`, mimeType, report });
  return { mimeType: mimeType ?? 'application/json', schema: value.schema as JsonObject };
}

const types: readonly unknown[] = valuesOf['OutputNode.type'];
const usualDepth = 4;
/** A schema that a program builds could be circular. */
const maxDepth = 100;

interface SchemaPlace extends Place {
  mimeType: string | undefined;
}

/** Checks the nodes of `output.schema`: nodes of `type`, `properties`, `items`. */
function checkOutputSchema(root: Fields, { path, mimeType, report }: SchemaPlace): void {
  const keys: (string | number)[] = [];
  // The same constant can occur several times; check it once.
  const seen = new Set<unknown>();
  let depth = 0;

  function visit(node: Fields, level: number): void {
    if (seen.has(node) || level > maxDepth) return;
    seen.add(node);
    depth = Math.max(depth, level);
    reportType(node);
    if (node.properties !== undefined) visitProperties(node, level);
    if (node.items !== undefined) visitItems(node, level);
  }

  function reportType({ type }: Fields): void {
    if (types.includes(type)) return;
    const unknown = wordsOf(type).filter((word) => !types.includes(word));
    if (unknown.length > 0)
      say('VAL061', ['type'], `${unknown.map(describeWord).join(', ')} is not a type of output.schema`);
  }

  function visitProperties({ type, properties }: Fields, level: number): void {
    if (!allows(type, 'object')) say('VAL064', ['properties'], `${nounOf(type)} has properties`);
    if (!isObject(properties)) {
      say('VAL061', ['properties'], 'properties must be an object of nodes');
      return;
    }
    keys.push('properties');
    for (const name of Object.keys(properties)) visitChild(name, properties[name], level);
    keys.pop();
  }

  function visitItems({ type, items }: Fields, level: number): void {
    if (!allows(type, 'array')) say('VAL065', ['items'], `${nounOf(type)} has items`);
    visitChild('items', items, level);
  }

  function visitChild(key: string, child: unknown, level: number): void {
    if (!isObject(child)) {
      say('VAL061', [key], 'a node of the schema must be an object such as { type: "string" }');
      return;
    }
    keys.push(key);
    visit(child, level + 1);
    keys.pop();
  }

  function say(code: 'VAL061' | 'VAL064' | 'VAL065', steps: readonly string[], problem: string): void {
    const place = [...keys, ...steps].reduce<string>(childPath, path);
    report(code, place, `${problem} (${place})`, hints[code] === undefined ? {} : { hint: hints[code] });
  }

  visit(root, 1);
  if (depth > usualDepth) {
    const hint = 'Use at most four: they are easier to read for people and models.';
    report('VAL063', path, `output.schema is ${depth} levels deep (${path})`, hint);
  }
  reportMimeType(root, { path, mimeType, report });
}

const hints = {
  VAL061: `Types are ${types.join(', ')}.`,
  VAL064: "Write type: 'object', or remove the properties.",
  VAL065: "Write type: 'array', or remove the items.",
} as const;

function carriesText(mimeType: string): boolean {
  return /^(text|image|audio|video|font)\//i.test(mimeType) && !/json/i.test(mimeType);
}

/** Answers that are not JSON are text, or bytes as base64, unless a handler converts them. */
function reportMimeType({ type }: Fields, { path, mimeType, report }: SchemaPlace): void {
  if (mimeType === undefined || !carriesText(mimeType) || allows(type, 'string')) return;
  const message = `answers with media type ${quote(mimeType)} are text, but output.schema has type ${nounOf(type)} (${path})`;
  const hint =
    "Write type: 'string', or the media type that a postRequest handler converts the answer to, such as application/json.";
  report('VAL062', `${path}.type`, message, hint);
}

function wordsOf(type: unknown): readonly unknown[] {
  return type === undefined ? [] : Array.isArray(type) ? type : [type];
}

/** A node without a type allows all. */
function allows(type: unknown, expected: string): boolean {
  if (type === expected) return true;
  const words = wordsOf(type);
  return words.length === 0 || words.includes(expected) || words.some((word) => !types.includes(word));
}

function describeWord(word: unknown): string {
  return typeof word === 'string' ? quote(word) : describeGiven(word);
}

function nounOf(type: unknown): string {
  return wordsOf(type).map(describeWord).join(' or ');
}

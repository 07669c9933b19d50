import type { RuleReport } from '../rule-report.ts';
import type { Schema } from '../schema.ts';
import { textArray, textField } from './fields.ts';

export type Identity = Pick<Schema, 'namespace' | 'name' | 'description' | 'version' | 'docs' | 'tags'>;

// https://semver.org, the numbers and the optional pre-release and build parts; no leading `v`.
const semver = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/;

export function parseIdentity(main: Record<string, unknown>, report: RuleReport): Identity {
  const parseText = (key: string, code: 'VAL010' | 'VAL012' | 'VAL013', hint: string): string => {
    const text = textField(main, key);
    const isOther = main[key] !== undefined && typeof main[key] !== 'string';
    if (text === undefined)
      report(code, `main.${key}`, `main.${key} ${isOther ? 'must be text' : 'is required'}`, hint);
    return text ?? '';
  };
  const namespace = parseText('namespace', 'VAL010', 'Name the provider in lowercase letters, such as "coingecko".');
  if (namespace !== '' && !/^[a-z]+$/.test(namespace)) {
    const hint = `${JSON.stringify(namespace)} has other characters; use only a to z.`;
    report('VAL011', 'main.namespace', 'namespace must contain only lowercase letters', hint);
  }
  return {
    namespace,
    name: parseText('name', 'VAL012', 'Write the display name.'),
    description: parseText('description', 'VAL013', 'Describe in one sentence what the API offers; models read it.'),
    version: parseVersion(main.version, report),
    docs: parseDocs(main, report),
    tags: parseTexts(main, 'tags', 'VAL021', report),
  };
}

function parseVersion(version: unknown, report: RuleReport): string {
  const path = 'main.version';
  if (typeof version !== 'string' || !semver.test(version)) {
    const isMissing = version === undefined;
    const hint = `Write "3.0.0"${isMissing ? '' : ` in place of ${JSON.stringify(version) ?? String(version)}`}.`;
    report('VAL014', path, isMissing ? 'main.version is required' : 'version must be a valid semver string', hint);
    return '';
  }
  if (version.startsWith('3.') && version.split('+')[0]?.includes('-')) {
    const message = `version ${version} is a pre-release; the version of the format is 3.0.0`;
    report('VAL014', path, message, { severity: 'warning', hint: 'Write "3.0.0".' });
  } else if (version.startsWith('2.')) {
    const hint = 'Run schemakit migrate <file>.';
    const message = `version ${version} is an old format; the current version is 3.0.0`;
    report('VAL014', path, message, { severity: 'warning', hint });
  } else if (!version.startsWith('3.')) {
    const hint = 'Write "3.0.0". This is the version of the format, not of your schema.';
    report('VAL014', path, `version ${version} is not a version of the format`, hint);
  }
  return version;
}

function parseDocs(main: Record<string, unknown>, report: RuleReport): readonly string[] {
  const hint = "Link the documentation of the API: docs: ['https://docs.example.com'].";
  if (main.docs === undefined) report('VAL020', 'main.docs', 'main.docs is missing', hint);
  const docs = parseTexts(main, 'docs', 'VAL020', report);
  const wrong = docs.find((text) => !/^https?:\/\//i.test(text) || !URL.canParse(text));
  if (wrong !== undefined) report('VAL020', 'main.docs', `${JSON.stringify(wrong)} in main.docs is not a URL`, hint);
  return docs;
}

function parseTexts(
  main: Record<string, unknown>,
  key: 'docs' | 'tags',
  code: 'VAL020' | 'VAL021',
  report: RuleReport,
) {
  if (main[key] === undefined) return [];
  const texts = textArray(main[key]);
  if (texts === undefined) report(code, `main.${key}`, `main.${key} must be an array of text`);
  return texts ?? [];
}

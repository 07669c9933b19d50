import type { RuleReport } from '../rule-report.ts';
import { textArray, textField } from './fields.ts';

/** The fields that say what a schema is. */
export interface Identity {
  namespace: string;
  name: string;
  description: string;
  version: string;
  docs: readonly string[];
  tags: readonly string[];
}

// https://semver.org, the numbers and the optional pre-release and build parts; no leading `v`.
const semver = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/;

/** Reads `namespace`, `name`, `description`, `version`, `docs` and `tags`. */
export function readIdentity(main: Record<string, unknown>, report: RuleReport): Identity {
  const namespace = textField(main, 'namespace');
  if (namespace === undefined) {
    const hint = 'Name the provider in lowercase letters, such as "coingecko".';
    report('VAL010', 'main.namespace', missingText(main, 'namespace'), hint);
  } else if (!/^[a-z]+$/.test(namespace)) {
    const hint = `${JSON.stringify(namespace)} has other characters; use only a to z.`;
    report('VAL011', 'main.namespace', 'namespace must contain only lowercase letters', hint);
  }
  const name = textField(main, 'name');
  if (name === undefined) report('VAL012', 'main.name', missingText(main, 'name'), 'Give the name that people read.');
  const description = textField(main, 'description');
  if (description === undefined) {
    const hint = 'Say in a sentence what the API offers; models read it.';
    report('VAL013', 'main.description', missingText(main, 'description'), hint);
  }
  return {
    namespace: namespace ?? '',
    name: name ?? '',
    description: description ?? '',
    version: readVersion(main.version, report),
    docs: readTexts(main, 'docs', 'VAL020', report),
    tags: readTexts(main, 'tags', 'VAL021', report),
  };
}

/** Says whether a field is not there or is something else than text. */
function missingText(main: Record<string, unknown>, key: string): string {
  const isOther = main[key] !== undefined && typeof main[key] !== 'string';
  return isOther ? `main.${key} must be text` : `main.${key} is required`;
}

function readVersion(version: unknown, report: RuleReport): string {
  if (version === undefined) {
    report('VAL014', 'main.version', 'main.version is required', 'Write "3.0.0".');
    return '';
  }
  if (typeof version !== 'string' || !semver.test(version)) {
    const hint = `Write "3.0.0" in place of ${JSON.stringify(version) ?? String(version)}.`;
    report('VAL014', 'main.version', 'version must be a valid semver string', hint);
    return '';
  }
  if (version.startsWith('2.')) {
    report('VAL014', 'main.version', `version ${version} is the old format; the current one is 3.0.0`, {
      severity: 'warning',
      hint: 'schemakit migrate <file> rewrites the file.',
    });
  } else if (!version.startsWith('3.')) {
    const hint = 'The current format is "3.0.0"; "2.0.0" is read as well. This is not the version of your schema.';
    report('VAL014', 'main.version', `version ${version} is not a version of the format`, hint);
  }
  return version;
}

function readTexts(main: Record<string, unknown>, key: 'docs' | 'tags', code: 'VAL020' | 'VAL021', report: RuleReport) {
  if (main[key] === undefined) return [];
  const texts = textArray(main[key]);
  if (texts === undefined) report(code, `main.${key}`, `main.${key} must be an array of text`);
  return texts ?? [];
}

import { type CheckResult, checkResult } from './check-result.ts';
import type { Finding, Severity } from './finding.ts';
import { type HashForms, type HashSubject, hashForms } from './hash-forms.ts';
import { isObject } from './json.ts';

export type HashCode = `HSH00${1 | 2 | 3}`;

/** Rules about integrity, by code: how severe a breach is, and what the rule asks for. */
export const hashCodes: Readonly<Record<HashCode, readonly [Severity, string]>> = {
  HSH001: ['error', 'A hash is `sha256:` and 64 hexadecimal digits.'],
  HSH002: ['error', 'Content has the hash that was noted for it.'],
  HSH003: [
    'error',
    'What is hashed is one of `main`, `tool`, `list`, `agent` and `file`, and data that JSON can carry.',
  ],
};

export interface HashVerification extends CheckResult {
  /** The form in which the hash was given; null where `status` is false. */
  form: 'canonical' | 'plain' | null;
  /** The hashes that the content has. */
  found: HashForms;
}

/**
 * Compares content with a hash that was noted for it (specification 2.7). The hash may be canonical or plain, with or without
 * `sha256:`; `form` says which one it was.
 */
export function verifyHash(options: HashSubject & { hash: string }): HashVerification {
  const subject: unknown = options;
  const named = isObject(subject) ? kinds.filter((kind) => subject[kind] !== undefined) : [];
  const found = named.length === 1 ? hashForms(options) : { canonical: null, plain: null };
  const expected = readHash(isObject(subject) ? subject.hash : undefined);
  const form = expected === undefined ? null : formOf(expected, found);
  const finding = form === null ? problemOf(named, found, expected) : undefined;
  return { ...checkResult(finding ? [finding] : []), form, found };
}

const kinds = ['main', 'tool', 'list', 'agent', 'file'] as const;

function readHash(hash: unknown): string | undefined {
  const digits = typeof hash === 'string' ? /^\s*(?:sha256:)?([0-9a-f]{64})\s*$/i.exec(hash)?.[1] : undefined;
  return digits === undefined ? undefined : `sha256:${digits.toLowerCase()}`;
}

function formOf(expected: string, { canonical, plain }: HashForms): HashVerification['form'] {
  if (expected === canonical) return 'canonical';
  return expected === plain ? 'plain' : null;
}

function problemOf(named: readonly string[], { canonical, plain }: HashForms, expected: string | undefined): Finding {
  const [kind = ''] = named;
  if (named.length !== 1) {
    return hashFinding(
      'HSH003',
      '',
      `verify needs one of ${kinds.join(', ')}; it was given ${named.join(', ') || 'none'}`,
    );
  }
  if (plain === null && canonical === null) {
    const message = `${kind} cannot be hashed: it is missing or holds what JSON cannot carry`;
    return hashFinding('HSH003', kind, message);
  }
  if (expected === undefined) {
    return hashFinding('HSH001', 'hash', 'hash must be sha256: and 64 hexadecimal digits');
  }
  const forms = [canonical, plain].filter((hash) => hash !== null);
  return hashFinding(
    'HSH002',
    kind,
    `the hash of ${kind} is not the expected one: expected ${expected}, found ${forms.join(' or ')}`,
    {
      hint: 'It was changed since the hash was noted. Look at what changed, then note the new hash.',
    },
  );
}

function hashFinding(code: HashCode, path: string, message: string, { hint }: { hint?: string } = {}): Finding {
  return { code, severity: hashCodes[code][0], path, message, ...(hint !== undefined && { hint }) };
}

/** `error` stops a schema from being used; `warning` and `info` do not. */
export type Severity = 'error' | 'warning' | 'info';

/** A problem that a check found in a file, a schema or an input. */
export interface Finding {
  /** Stable identifier of the rule, such as `VAL040`. */
  code: string;
  severity: Severity;
  /** Path in the document, such as `main.tools.getPrice.parameters[0].z`; empty for the file as a whole. */
  path: string;
  message: string;
  hint?: string;
  file?: string;
  /** 1-based, like `column`. */
  line?: number;
  column?: number;
  /** On the last finding of a long list: how many were omitted. See `VAL092`. */
  omitted?: number;
}

export type Report = (finding: Finding) => void;

export function hasNoErrors(findings: readonly Finding[]): boolean {
  return findings.every((finding) => finding.severity !== 'error');
}

/** Appends a key to a document path: `.key` for an identifier, `["key"]` otherwise. */
export function childPath(path: string, key: string | number): string {
  if (typeof key === 'number') return `${path}[${key}]`;
  if (/^[A-Za-z_$][\w$]*$/.test(key)) return path === '' ? key : `${path}.${key}`;
  return `${path}[${JSON.stringify(key)}]`;
}

/** Rules by code: how severe a breach is, and what the rule asks for. */
export type RuleTable = Readonly<Record<string, readonly [Severity, string]>>;

export interface FindingDetail {
  hint?: string;
  /** Default: the severity in the table. Set only if existing schemas depend on a milder rule. */
  severity?: Severity;
}

/** Makes a finding of a rule in a table. A text as the last argument is the hint. */
export function makeFinding<Table extends RuleTable>(
  rules: Table,
  code: Extract<keyof Table, string>,
  path: string,
  message: string,
  detail: FindingDetail | string = {},
): Finding {
  const { hint, severity = rules[code]?.[0] ?? 'error' } = typeof detail === 'string' ? { hint: detail } : detail;
  return { code, severity, path, message, ...(hint !== undefined && { hint }) };
}

export interface CheckResult {
  /** False if any finding is an error. */
  status: boolean;
  messages: string[];
  findings: Finding[];
}

/**
 * The result of a method that returns more than a check: the fields of `Success` if `status` is true, those of `Failure` if it is
 * false. `if (result.status)` narrows it.
 */
export type Result<Success extends object, Failure extends object> = Omit<CheckResult, 'status'> &
  (({ status: true } & Success) | ({ status: false } & Failure));

export function checkResult(findings: readonly Finding[]): CheckResult {
  return {
    status: hasNoErrors(findings),
    messages: findings.map(({ message }) => message),
    findings: [...findings],
  };
}

/** The message of a thrown value, which may be anything. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

import { type Finding, finding, isClean } from '../findings/finding.ts';
import { field, isPlainObject, type PlainObject } from '../findings/plain-object.ts';
import { NOT_KEPT, type PaymentSignal } from '../probe/payment-signal.ts';
import { type RestrictedCall, type X402Entry, x402Entry } from '../snapshot/x402-entry.ts';
import type { FieldProblem } from './check-address.ts';
import { type CheckedOption, checkOption } from './check-option.ts';
import { caip2Of } from './network-id.ts';

export interface CheckedPayment {
  findings: Finding[];
  /** One per entry of `accepts`. */
  options: CheckedOption[];
}

/** Further options are not checked. */
const MAX_OPTIONS = 50;

/** Checks a PaymentRequired object of x402 version 1 or 2. `location` is its path in the snapshot. */
export function checkPayment(required: unknown, location: string): CheckedPayment {
  const found = (problems: readonly FieldProblem[]): Finding[] =>
    problems.map(([code, text]) => finding(code, location, text));
  const unread = (problem: FieldProblem): CheckedPayment => ({ findings: found([problem]), options: [] });
  if (required === undefined || required === null)
    return unread(['PAY-001', 'A payment is required, but its terms are not stated']);
  if (NOT_KEPT.includes(required as string)) {
    const text = 'The requirement is too large or too deep to check: more than 64 KiB or 50 levels';
    return unread(['PAY-002', text]);
  }
  if (!isPlainObject(required)) return unread(['PAY-002', 'The requirement must be an object']);
  // Without a version, the current one is assumed.
  const version = field(required, 'x402Version') === 1 ? 1 : 2;
  const accepts = field(required, 'accepts');
  const ways: unknown[] = Array.isArray(accepts) ? accepts.slice(0, MAX_OPTIONS) : [];
  const options = ways.map((option, index) => checkOption(option, `${location}.accepts[${index}]`, version));
  const own = found([
    ...versionProblems(required),
    ...(version === 2 ? checkResource(field(required, 'resource')) : []),
    ...otherProblems(required),
    ...acceptsProblems(accepts),
  ]);
  // An error in the requirement makes all of its options unusable.
  const isUsable = isClean(own);
  return {
    findings: [...own, ...options.flatMap(({ findings }) => findings)],
    options: options.map((option) => ({ ...option, isValid: option.isValid && isUsable })),
  };
}

function versionProblems(required: PlainObject): FieldProblem[] {
  const version = field(required, 'x402Version');
  if (version === 2) return [];
  if (version === undefined) return [['PAY-010', '`x402Version` is missing']];
  if (typeof version !== 'number') return [['PAY-011', `\`x402Version\` must be a number, not ${typeof version}`]];
  if (version === 1) return [['PAY-013', 'Legacy: the requirement uses x402 version 1']];
  return [['PAY-012', `\`x402Version\` is ${version}; versions are 1 and 2`]];
}

function otherProblems(required: PlainObject): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const error = field(required, 'error');
  if (error !== undefined && typeof error !== 'string') problems.push(['PAY-025', '`error` should be a string']);
  const extensions = field(required, 'extensions');
  if (extensions !== undefined && !isPlainObject(extensions))
    problems.push(['PAY-033', '`extensions` should be an object']);
  return problems;
}

function acceptsProblems(accepts: unknown): FieldProblem[] {
  if (accepts === undefined) return [['PAY-030', '`accepts` is missing']];
  if (!Array.isArray(accepts)) return [['PAY-031', '`accepts` must be an array']];
  return accepts.length === 0 ? [['PAY-032', '`accepts` is empty']] : [];
}

const KNOWN_FIELDS: ReadonlySet<string> = new Set(['url', 'description', 'mimeType', 'serviceName', 'tags', 'iconUrl']);

/** Checks the resource of version 2: an object; earlier drafts had a URL as a string. */
function checkResource(resource: unknown): FieldProblem[] {
  if (resource === undefined) return [['PAY-019', '`resource` is missing']];
  if (typeof resource === 'string') {
    if (resource.trim() === '') return [['PAY-021', '`resource` is empty']];
    return URL.canParse(resource)
      ? [['PAY-019', '`resource` is a string, where version 2 has an object with `url`']]
      : [['PAY-023', '`resource` is not an absolute URL']];
  }
  if (!isPlainObject(resource)) return [['PAY-020', '`resource` must be an object with `url`, or at least a string']];
  const unknown = Object.keys(resource).filter((key) => !KNOWN_FIELDS.has(key));
  const problems = urlProblems(field(resource, 'url'));
  if (unknown.length > 0)
    problems.push(['PAY-024', `\`resource\` has unknown fields: ${unknown.slice(0, 5).join(', ')}`]);
  return problems;
}

function urlProblems(url: unknown): FieldProblem[] {
  if (url === undefined) return [['PAY-021', '`resource` has no `url`']];
  if (typeof url !== 'string') return [['PAY-022', `\`resource.url\` must be a string, not ${typeof url}`]];
  return URL.canParse(url) ? [] : [['PAY-023', '`resource.url` is not an absolute URL']];
}

export interface Gate {
  toolName: string;
  signal: PaymentSignal;
}

export function checkPayments(gates: readonly Gate[]): { x402: X402Entry; findings: Finding[] } {
  const calls: RestrictedCall[] = gates.map(({ toolName, signal }) => ({
    toolName,
    paymentRequired: signal.paymentRequired,
  }));
  const checked = calls.map(({ paymentRequired }, index) => checkPayment(paymentRequired, `restrictedCalls[${index}]`));
  const disagreements = gates.flatMap(({ signal }, index) => carrierFindings(signal, `restrictedCalls[${index}]`));
  return {
    x402: x402Entry(calls, checked),
    findings: [...checked.flatMap(({ findings }) => findings), ...disagreements],
  };
}

/** Findings for a requirement whose two copies differ, or of which one is missing. */
function carrierFindings({ code, paymentRequired, carriers }: PaymentSignal, location: string): Finding[] {
  if (carriers === undefined || NOT_KEPT.includes(paymentRequired as string)) return [];
  const { first, second, other } = carriers;
  if (other !== undefined) {
    const text = `${first} and ${second} state different requirements`;
    return sameOffer(paymentRequired, other) ? [] : [finding('PAY-034', location, sentence(text))];
  }
  // Only the HTTP header can be unreadable.
  if (code === 'PRB-008') {
    const text = `${second} is not JSON in base64, so clients that read it see no payment`;
    return [finding('PAY-034', location, sentence(text))];
  }
  const text = `only ${first} has the requirement; clients that read only ${second} miss it`;
  return [finding('PAY-034', location, sentence(text), { severity: 'INFO' })];
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Whether two requirements of any version have the same payment options. */
function sameOffer(one: unknown, other: unknown): boolean {
  const ways = [one, other].map(waysOf);
  return JSON.stringify(ways[0]) === JSON.stringify(ways[1]);
}

function waysOf(required: unknown): string[] {
  const accepts = field(required, 'accepts');
  const version = field(required, 'x402Version');
  return (Array.isArray(accepts) ? accepts : [])
    .map((option) => {
      const network = field(option, 'network');
      const amount = field(option, version === 1 ? 'maxAmountRequired' : 'amount');
      const id = typeof network === 'string' ? caip2Of(network, version) : network;
      const [asset, payTo] = [lower(field(option, 'asset')), lower(field(option, 'payTo'))];
      return JSON.stringify([field(option, 'scheme'), id, amount, asset, payTo]);
    })
    .sort();
}

/** Ignores case, which is only a checksum in EVM addresses; Solana addresses that differ only in case do not occur. */
function lower(value: unknown): unknown {
  return typeof value === 'string' ? value.toLowerCase() : value;
}

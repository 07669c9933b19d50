import { type Finding, finding } from '../findings/finding.ts';
import { field, isPlainObject, type PlainObject } from '../findings/plain-object.ts';
import { checkAsset, checkPayTo, type FieldProblem, isSolanaAddress } from './check-address.ts';
import { caip2Of, familyOf, isCaip2, isChainReference, type NetworkFamily, nameOf } from './network-id.ts';

/** Schemes that x402 has beside `exact`; how they are paid is not checked. */
const OTHER_SCHEMES: ReadonlySet<string> = new Set(['upto', 'batch-settlement', 'auth-capture']);

/** What was found out about one way to pay. */
export interface CheckedOption {
  findings: Finding[];
  /** Nothing is wrong with it, and its network is one that can be checked. */
  isValid: boolean;
}

/** Checks one entry of `accepts`, by the rules of its version, scheme and network. */
export function checkOption(option: unknown, location: string, version: 1 | 2): CheckedOption {
  if (!isPlainObject(option)) {
    return { findings: [finding('PAY-031', location, 'A way to pay must be an object')], isValid: false };
  }
  const fields: PlainObject = option;
  const amountName = version === 1 ? 'maxAmountRequired' : 'amount';
  const network = field(fields, 'network');
  const family = typeof network === 'string' ? familyOf(caip2Of(network, version)) : undefined;
  const at = (name: string): string => `${location}.${name}`;
  const problems = [
    ['asset', checkAsset(field(fields, 'asset'), family)],
    ['payTo', checkPayTo(field(fields, 'payTo'), family)],
    [amountName, checkAmount(field(fields, amountName), amountName, family)],
    ['maxTimeoutSeconds', checkTimeout(field(fields, 'maxTimeoutSeconds'))],
  ] as const;
  const resource = version === 1 ? checkResourceV1(field(fields, 'resource'), field(fields, 'description')) : [];
  const findings = [
    ...resource.map(([code, text]) => finding(code, location, text)),
    ...schemeFindings(field(fields, 'scheme'), at('scheme')),
    ...networkFindings(network, at('network'), version),
    ...problems.flatMap(([name, problem]) => (problem ? [finding(problem[0], at(name), problem[1])] : [])),
    ...checkExtra(field(fields, 'extra'), at('extra'), { family, scheme: field(fields, 'scheme') }),
  ];
  return { findings, isValid: family !== undefined && findings.every(({ severity }) => severity !== 'ERROR') };
}

function schemeFindings(scheme: unknown, location: string): Finding[] {
  if (scheme === undefined) return [finding('PAY-040', location, '`scheme` is missing')];
  if (typeof scheme !== 'string')
    return [finding('PAY-041', location, `\`scheme\` must be a string, not ${typeof scheme}`)];
  if (scheme === 'exact') return [];
  if (OTHER_SCHEMES.has(scheme)) {
    return [
      finding('PAY-042', location, `\`${scheme}\` is a scheme that many clients cannot pay`, { severity: 'WARNING' }),
    ];
  }
  return [finding('PAY-042', location, `\`${scheme.slice(0, 40)}\` is no scheme of x402`)];
}

function networkFindings(network: unknown, location: string, version: 1 | 2): Finding[] {
  if (network === undefined) return [finding('PAY-050', location, '`network` is missing')];
  if (typeof network !== 'string')
    return [finding('PAY-051', location, `\`network\` must be a string, not ${typeof network}`)];
  const shown = `\`${network.slice(0, 60)}\``;
  if (version === 1 && caip2Of(network, 1) === network) {
    const name = nameOf(network);
    const isId = isCaip2(network) || familyOf(network) !== undefined;
    const hint = name === undefined ? 'has names, such as `base`' : `writes \`${name}\``;
    const text = `${shown} is ${isId ? 'an id as version 2 has it' : 'no network that is known'}; version 1 ${hint}`;
    return [finding('PAY-052', location, text)];
  }
  const id = caip2Of(network, version);
  const family = familyOf(id);
  if (family === undefined) {
    if (isCaip2(id)) {
      const text = `${shown} is of an unverified namespace: its addresses are not checked`;
      return [finding('PAY-052', location, text, { severity: 'WARNING' })];
    }
    const isOld = caip2Of(network, 1) !== network;
    const hint = isOld ? `; version 2 writes \`${caip2Of(network, 1)}\`` : '';
    return [finding('PAY-052', location, `${shown} begins with neither \`eip155:\` nor \`solana:\`${hint}`)];
  }
  const reference = id.slice(family.length + 1);
  if (reference === '') return [finding('PAY-053', location, `${shown} names no chain`)];
  return isChainReference(reference, family)
    ? []
    : [finding('PAY-054', location, `${shown} names no chain of ${family}`)];
}

/** What version 1 says of the thing that is paid for, in each way to pay. */
function checkResourceV1(resource: unknown, description: unknown): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (resource === undefined) problems.push(['PAY-019', '`resource` is missing']);
  else if (typeof resource !== 'string')
    problems.push(['PAY-020', `\`resource\` must be a string, not ${typeof resource}`]);
  else if (!URL.canParse(resource)) problems.push(['PAY-023', '`resource` is not an absolute URL']);
  if (typeof description !== 'string') problems.push(['PAY-019', '`description` is missing, or no string']);
  return problems;
}

/** An amount has to be a positive whole number of atomic units, in decimal digits. */
function checkAmount(amount: unknown, name: string, family?: NetworkFamily): FieldProblem | undefined {
  if (amount === undefined) return ['PAY-060', `\`${name}\` is missing`];
  if (typeof amount !== 'string') return ['PAY-061', `\`${name}\` must be a string of digits, not ${typeof amount}`];
  if (/^0*$/.test(amount) && amount !== '') return ['PAY-063', `\`${name}\` must be greater than 0`];
  if (/^\d+$/.test(amount)) {
    if (amount.startsWith('0')) return ['PAY-064', `\`${name}\` has leading zeros`];
    const bits = family === 'solana' ? 64 : 256;
    // No number of 256 bits has more digits; longer texts are not worth reading as one.
    const isTooLarge = amount.length > 78 || BigInt(amount) >= 2n ** BigInt(bits);
    return isTooLarge
      ? ['PAY-064', `\`${name}\` is larger than a number of ${bits} bits, and so than any token`]
      : undefined;
  }
  const value = amount.trim() === '' ? Number.NaN : Number(amount);
  if (Number.isNaN(value)) return ['PAY-062', `\`${name}\` is \`${amount.slice(0, 40)}\`, which is not a number`];
  if (value <= 0) return ['PAY-063', `\`${name}\` must be greater than 0`];
  return ['PAY-064', `\`${name}\` is \`${amount.slice(0, 40)}\`; it must count atomic units in decimal digits`];
}

/** Seconds have to be a positive whole number. */
function checkTimeout(seconds: unknown): FieldProblem | undefined {
  if (seconds === undefined) return ['PAY-090', '`maxTimeoutSeconds` is missing'];
  if (typeof seconds !== 'number') return ['PAY-091', `\`maxTimeoutSeconds\` must be a number, not ${typeof seconds}`];
  if (!(seconds > 0)) return ['PAY-092', '`maxTimeoutSeconds` must be greater than 0'];
  if (!Number.isInteger(seconds)) return ['PAY-093', '`maxTimeoutSeconds` should be whole seconds'];
  return seconds > 3600 ? ['PAY-094', `\`maxTimeoutSeconds\` is ${seconds}: more than an hour`] : undefined;
}

const MAX_MEMO_BYTES = 256;

/** How the token is moved decides what is signed; only EIP-3009 signs in the token's own domain. */
const NEEDS_DOMAIN = 'eip3009';

interface Context {
  family: NetworkFamily | undefined;
  scheme: unknown;
}

/** Checks what a scheme needs beside the common fields. */
function checkExtra(extra: unknown, location: string, { family, scheme }: Context): Finding[] {
  if (extra !== undefined && !isPlainObject(extra)) {
    return [finding('PAY-100', location, '`extra` is not an object'), ...solanaFindings(undefined, location, family)];
  }
  if (family === 'eip155' && (scheme === 'exact' || scheme === undefined)) return domainFindings(extra, location);
  return scheme === 'exact' ? solanaFindings(extra, location, family) : [];
}

function domainFindings(extra: unknown, location: string): Finding[] {
  if ((field(extra, 'assetTransferMethod') ?? NEEDS_DOMAIN) !== NEEDS_DOMAIN) return [];
  const isMissing = (name: string): boolean => typeof field(extra, name) !== 'string' || field(extra, name) === '';
  const findings: Finding[] = [];
  if (isMissing('name'))
    findings.push(finding('PAY-101', `${location}.name`, '`extra.name` is missing, which clients sign with'));
  if (isMissing('version'))
    findings.push(finding('PAY-102', `${location}.version`, '`extra.version` is missing, which clients sign with'));
  return findings;
}

function solanaFindings(extra: unknown, location: string, family: NetworkFamily | undefined): Finding[] {
  if (family !== 'solana') return [];
  const findings: Finding[] = [];
  const feePayer = field(extra, 'feePayer');
  if (typeof feePayer !== 'string' || !isSolanaAddress(feePayer)) {
    const text =
      feePayer === undefined
        ? '`extra.feePayer` is missing'
        : '`extra.feePayer` is not an address of 32 bytes in base58';
    findings.push(finding('PAY-095', `${location}.feePayer`, text));
  }
  const memo = field(extra, 'memo');
  if (memo !== undefined && (typeof memo !== 'string' || Buffer.byteLength(memo) > MAX_MEMO_BYTES)) {
    findings.push(
      finding('PAY-096', `${location}.memo`, `\`extra.memo\` must be a text of at most ${MAX_MEMO_BYTES} bytes`),
    );
  }
  return findings;
}

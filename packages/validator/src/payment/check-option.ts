import { type Finding, finding } from '../findings/finding.ts';
import { field, isPlainObject } from '../findings/plain-object.ts';
import { checkAsset, checkPayTo, type FieldProblem, isSolanaAddress } from './check-address.ts';
import { tokenElsewhere } from './known-tokens.ts';
import { caip2Of, familyOf, isCaip2, isChainReference, type NetworkFamily, nameOf } from './network-id.ts';

/** Other schemes of x402; their details are not checked. */
const OTHER_SCHEMES: ReadonlySet<string> = new Set(['upto', 'batch-settlement', 'auth-capture']);

export interface CheckedOption {
  findings: Finding[];
  /** No errors, and a network that can be checked. */
  isValid: boolean;
}

/** Checks one entry of `accepts`, by the rules of its version, scheme and network. */
export function checkOption(option: unknown, location: string, version: 1 | 2): CheckedOption {
  if (!isPlainObject(option)) {
    return { findings: [finding('PAY-031', location, 'A payment option must be an object')], isValid: false };
  }
  const amountName = version === 1 ? 'maxAmountRequired' : 'amount';
  const [network, scheme, extra] = ['network', 'scheme', 'extra'].map((name) => field(option, name));
  const family = typeof network === 'string' ? familyOf(caip2Of(network, version)) : undefined;
  const [asset, payTo] = ['asset', 'payTo'].map((name) => field(option, name));
  const resource = version === 1 ? checkResourceV1(field(option, 'resource'), field(option, 'description')) : [];
  const problems: (readonly [name: string, problem: FieldProblem | undefined])[] = [
    ['.scheme', checkScheme(scheme)],
    ['.network', checkNetwork(network, version)],
    ['.asset', checkChain(asset, network, version) ?? checkAsset(asset, family)],
    ['.payTo', checkReceiver(payTo, asset) ?? checkPayTo(payTo, family)],
    [`.${amountName}`, checkAmount(field(option, amountName), amountName, family)],
    ['.maxTimeoutSeconds', checkTimeout(field(option, 'maxTimeoutSeconds'))],
    ...checkExtra(extra, { family, scheme }),
  ];
  const findings = [
    ...resource.map(([code, text]) => finding(code, location, text)),
    ...problems.flatMap(([name, problem]) => {
      if (problem === undefined) return [];
      const [code, text, severity] = problem;
      return finding(code, `${location}${name}`, text, severity && { severity });
    }),
  ];
  return { findings, isValid: family !== undefined && findings.every(({ severity }) => severity !== 'ERROR') };
}

function checkScheme(scheme: unknown): FieldProblem | undefined {
  if (scheme === undefined) return ['PAY-040', '`scheme` is missing'];
  if (typeof scheme !== 'string') return ['PAY-041', `\`scheme\` must be a string, not ${typeof scheme}`];
  if (scheme === 'exact') return undefined;
  return OTHER_SCHEMES.has(scheme)
    ? ['PAY-042', `many clients do not support the scheme \`${scheme}\``, 'WARNING']
    : ['PAY-042', `\`${scheme.slice(0, 40)}\` is not a scheme of x402`];
}

function checkNetwork(network: unknown, version: 1 | 2): FieldProblem | undefined {
  if (network === undefined) return ['PAY-050', '`network` is missing'];
  if (typeof network !== 'string') return ['PAY-051', `\`network\` must be a string, not ${typeof network}`];
  const shown = `\`${network.slice(0, 60)}\``;
  const id = caip2Of(network, version);
  const family = familyOf(id);
  if (version === 1 && id === network) {
    const name = nameOf(network);
    const isId = isCaip2(network) || family !== undefined;
    const hint = name === undefined ? 'has names, such as `base`' : `writes \`${name}\``;
    return ['PAY-052', `${shown} is ${isId ? 'a version 2 id' : 'not a known network'}; version 1 ${hint}`];
  }
  if (family === undefined) {
    if (isCaip2(id))
      return ['PAY-052', `${shown} is of an unverified namespace: its addresses are not checked`, 'WARNING'];
    const newer = caip2Of(network, 1);
    const hint = newer === network ? '' : `; version 2 writes \`${newer}\``;
    return ['PAY-052', `${shown} begins with neither \`eip155:\` nor \`solana:\`${hint}`];
  }
  const reference = id.slice(family.length + 1);
  if (reference === '') return ['PAY-053', `${shown} names no chain`];
  return isChainReference(reference, family) ? undefined : ['PAY-054', `${shown} names no chain of ${family}`];
}

/** A known token has its own address on each chain. */
function checkChain(asset: unknown, network: unknown, version: 1 | 2): FieldProblem | undefined {
  if (typeof asset !== 'string' || typeof network !== 'string') return undefined;
  const token = tokenElsewhere(caip2Of(network, version), asset);
  return token === undefined
    ? undefined
    : ['PAY-074', `\`asset\` is ${token}, but the network is \`${network.slice(0, 60)}\``];
}

function checkReceiver(payTo: unknown, asset: unknown): FieldProblem | undefined {
  if (typeof asset !== 'string' || typeof payTo !== 'string') return undefined;
  return payTo.toLowerCase() === asset.toLowerCase()
    ? ['PAY-085', '`payTo` is the token itself: payments would be lost']
    : undefined;
}

/** Checks the resource of version 1, which is part of each option. */
function checkResourceV1(resource: unknown, description: unknown): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (resource === undefined) problems.push(['PAY-019', '`resource` is missing']);
  else if (typeof resource !== 'string')
    problems.push(['PAY-020', `\`resource\` must be a string, not ${typeof resource}`]);
  else if (!URL.canParse(resource)) problems.push(['PAY-023', '`resource` is not an absolute URL']);
  if (typeof description !== 'string') problems.push(['PAY-019', '`description` is missing or not a string']);
  return problems;
}

/** Amounts are positive whole numbers of atomic units, in decimal digits. */
function checkAmount(amount: unknown, name: string, family?: NetworkFamily): FieldProblem | undefined {
  if (amount === undefined) return ['PAY-060', `\`${name}\` is missing`];
  if (typeof amount !== 'string') return ['PAY-061', `\`${name}\` must be a string of digits, not ${typeof amount}`];
  if (/^0*$/.test(amount) && amount !== '') return ['PAY-063', `\`${name}\` must be greater than 0`];
  if (/^\d+$/.test(amount)) {
    if (amount.startsWith('0')) return ['PAY-064', `\`${name}\` has leading zeros`];
    const bits = family === 'solana' ? 64 : 256;
    // Numbers of 256 bits have at most 78 digits.
    const isTooLarge = amount.length > 78 || BigInt(amount) >= 2n ** BigInt(bits);
    return isTooLarge ? ['PAY-064', `\`${name}\` does not fit into ${bits} bits`] : undefined;
  }
  const value = amount.trim() === '' ? Number.NaN : Number(amount);
  if (Number.isNaN(value)) return ['PAY-062', `\`${name}\` is \`${amount.slice(0, 40)}\`, which is not a number`];
  if (value <= 0) return ['PAY-063', `\`${name}\` must be greater than 0`];
  return ['PAY-064', `\`${name}\` is \`${amount.slice(0, 40)}\`; it must count atomic units in decimal digits`];
}

function checkTimeout(seconds: unknown): FieldProblem | undefined {
  if (seconds === undefined) return ['PAY-090', '`maxTimeoutSeconds` is missing'];
  if (typeof seconds !== 'number') return ['PAY-091', `\`maxTimeoutSeconds\` must be a number, not ${typeof seconds}`];
  if (!(seconds > 0)) return ['PAY-092', '`maxTimeoutSeconds` must be greater than 0'];
  if (!Number.isInteger(seconds)) return ['PAY-093', '`maxTimeoutSeconds` should be whole seconds'];
  return seconds > 3600 ? ['PAY-094', `\`maxTimeoutSeconds\` is ${seconds}: more than an hour`] : undefined;
}

const MAX_MEMO_BYTES = 256;

/** The only transfer method that signs in the EIP-712 domain of the token. */
const NEEDS_DOMAIN = 'eip3009';

/** Checks the fields that a scheme needs in `extra`. */
function checkExtra(
  extra: unknown,
  { family, scheme }: { family: NetworkFamily | undefined; scheme: unknown },
): [name: string, problem: FieldProblem][] {
  const isOther = extra !== undefined && !isPlainObject(extra);
  const problems: [string, FieldProblem][] = isOther ? [['.extra', ['PAY-100', '`extra` is not an object']]] : [];
  if (family === 'solana' && (scheme === 'exact' || isOther)) {
    const [feePayer, memo] = [field(extra, 'feePayer'), field(extra, 'memo')];
    if (typeof feePayer !== 'string' || !isSolanaAddress(feePayer)) {
      const fault = feePayer === undefined ? 'is missing' : 'is not an address of 32 bytes in base58';
      problems.push(['.extra.feePayer', ['PAY-095', `\`extra.feePayer\` ${fault}`]]);
    }
    if (memo !== undefined && (typeof memo !== 'string' || Buffer.byteLength(memo) > MAX_MEMO_BYTES))
      problems.push(['.extra.memo', ['PAY-096', `\`extra.memo\` must be a text of at most ${MAX_MEMO_BYTES} bytes`]]);
  }
  const isSigned = family === 'eip155' && !isOther && (scheme === 'exact' || scheme === undefined);
  if (!isSigned || (field(extra, 'assetTransferMethod') ?? NEEDS_DOMAIN) !== NEEDS_DOMAIN) return problems;
  for (const [name, code] of [
    ['name', 'PAY-101'],
    ['version', 'PAY-102'],
  ] as const) {
    const value = field(extra, name);
    if (typeof value !== 'string' || value === '')
      problems.push([`.extra.${name}`, [code, `\`extra.${name}\` is missing; clients need it to sign`]]);
  }
  return problems;
}

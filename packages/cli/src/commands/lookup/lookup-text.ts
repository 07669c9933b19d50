import type { LookupResult } from '@schemakit/validator';
import { counted } from '../../output/terminal-text.ts';
import { textColumns } from '../../output/text-table.ts';

const MAX_TEXT = 300;
const MAX_ROWS = 8;

type Row = readonly [title: string, value: string];

/** A lookup for a terminal: the agent, then the findings. */
export function lookupText(agent: LookupResult): string {
  const rows = agentRows(agent).map(([title, value]) => [title, cut(value)]);
  const findings = agent.findings.flatMap(({ severity, code, location, text, why, fix }) => [
    '',
    ...textColumns([[severity.padEnd(7), `${code} ${location}: ${text}`]]),
    ...(severity === 'INFO'
      ? []
      : textColumns(
          [
            ['Why', why],
            ['Fix', fix],
          ],
          { indent: 9 },
        )),
  ]);
  return [...textColumns(rows), ...(rows.length === 0 ? findings.slice(1) : findings)].join('\n');
}

function agentRows(agent: LookupResult): Row[] {
  const { agentId, chainId, chainAlias, agentRegistry, owner, agentWallet, agentUri, uriType } = agent;
  if (agentId === null) return [];
  const chain = `${chainAlias ?? `chain ${chainId}`}${agent.blockNumber === null ? '' : `, block ${agent.blockNumber}`}`;
  const rows: (readonly [title: string, value: string | null | undefined])[] = [
    ['Agent', `${agentId} on ${chain}`],
    ['Registry', agentRegistry],
    ['Owner', owner],
    ['Wallet', agentWallet],
    ['URI', isInside(uriType) ? `the registration itself (${uriType})` : agentUri],
    ['Name', agent.name],
    ['About', agent.description],
    ['Active', yesOrNo(agent.classification?.isActive)],
    ['Takes x402', yesOrNo(agent.classification?.isX402)],
    ...(agent.endpoints?.all ?? []).slice(0, MAX_ROWS).map(({ name, endpoint, version }): Row => {
      return [`- ${cut(name, 20)}`, `${endpoint}${version === null ? '' : ` (${version})`}`];
    }),
    ...oasfRows(agent),
    ['Trust', agent.supportedTrust.join(', ')],
    ...reputationRows(agent),
    ['Domains', agent.domainVerification.map(({ origin, state }) => `${origin} ${DOMAIN_STATES[state]}`).join(', ')],
  ];
  return rows.flatMap(([title, value]) => (value == null || value === '' ? [] : [[title, value] as const]));
}

function isInside(uriType: LookupResult['uriType']): boolean {
  return uriType === 'base64' || uriType === 'gzip' || uriType === 'json';
}

const DOMAIN_STATES = {
  verified: 'names the agent',
  'same-origin': 'has the registration',
  'not-named': 'does not name the agent',
  missing: 'does not say',
  broken: 'has a broken file',
} as const;

function oasfRows({ classification }: LookupResult): Row[] {
  const { oasf } = classification ?? {};
  return oasf == null
    ? []
    : [
        ['Skills', oasf.skills.join(', ')],
        ['Fields', oasf.domains.join(', ')],
      ];
}

function reputationRows({ isRegistered, reputation, validations }: LookupResult): Row[] {
  if (isRegistered !== true) return [];
  const rows: Row[] = [];
  if (reputation !== null) {
    const { averageDecimal, feedbackCount, clients, revokedCount, byTag } = reputation;
    const revoked = revokedCount === 0 || revokedCount === null ? '' : `; ${revokedCount} revoked`;
    const given = `${counted(feedbackCount, 'rating')} of ${counted(clients, 'client')}${revoked}`;
    rows.push(['Reputation', `${round(averageDecimal)} on average, ${given}`]);
    const tags = byTag
      .slice(0, MAX_ROWS)
      .map(({ tag, count, averageDecimal: mean }) => `${tag} ${round(mean)} (${count})`);
    rows.push(['By tag', tags.join(', ')]);
  }
  if (validations !== null && validations.count > 0)
    rows.push(['Validated', `${counted(validations.count, 'time')}, ${validations.averageResponse} of 100 on average`]);
  return rows;
}

function yesOrNo(value: boolean | null | undefined): string | null {
  return value == null ? null : value ? 'yes' : 'no';
}

function round(value: number): string {
  return String(Math.round(value * 100) / 100);
}

function cut(text: string, max: number = MAX_TEXT): string {
  return text.length > max ? `${text.slice(0, max - 1)}…` : text;
}

import { codes } from '../packages/validator/src/findings/codes.ts';
import { markdownTable } from './markdown-table.ts';

const intro = `# Codes of the validator

What [the validator](validator.md) finds has a code that stays what it is. This page is written by \`node docs/generate-validator-codes.ts\` from the table in the code.

Only an \`ERROR\` makes \`status\` false. A finding has a \`severity\` of its own: it is another than the table's where the table says so.`;

const families: Readonly<Record<string, readonly [title: string, lead: string]>> = {
  VAL: ['Input', 'What `start` and `compare` were given.'],
  ASM: ['Input of assessments', 'What `assess` was given.'],
  HTTP: ['HTTP', 'The connection, its certificate, redirects and headers.'],
  CON: ['Connection', 'Reaching the server, the handshake, and the lists.'],
  TOOL: ['Tools', 'How a model sees the tools, and signs that they try to control it.'],
  SKL: ['Skills', 'The skills that an MCP server serves.'],
  CARD: ['Server card', 'The card of an MCP server, and whether it says what the server does.'],
  CSV: ['Agent card', 'The card of an A2A agent.'],
  PAY: [
    'Payment requirements',
    'Found at `restrictedCalls[i]` and `restrictedCalls[i].accepts[j]`, as `entries.x402` has them.',
  ],
  PRB: ['Probe', 'What calling the tools showed.'],
  AUTH: ['OAuth', 'Discovery of how the server is authorized.'],
  UIR: ['UI resources', 'Reading the resources of MCP Apps.'],
  UIV: ['MCP Apps', 'What the UI resources hold, and the tools that are linked to them.'],
  HTML: ['Website', 'What the page at the URL says.'],
  REG: ['Agent registration', 'The registration of an agent by ERC-8004.'],
  RPC: ['Chain', 'Reading an agent from its chain.'],
  REP: ['Reputation', 'What others say about an agent on its chain.'],
  CMP: ['Comparison', 'Found by `compare`.'],
};

/** The text of docs/validator-codes.md. */
export function validatorCodesPage(): string {
  const sections = Object.entries(families).flatMap(([family, [title, lead]]) => {
    const own = Object.entries(codes).filter(([code]) => code.startsWith(`${family}-`));
    if (own.length === 0) return [];
    const rows = own
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([code, { severity, meaning, fix, why, source }]) => [
        `\`${code}\``,
        severity,
        meaning,
        fix,
        `${why} (${sourceLink(source)})`,
      ]);
    const columns = ['Code', 'Severity', 'Meaning', 'What to do', 'Why it matters'];
    return [`## ${title}`, lead, markdownTable(columns, rows)].join('\n\n');
  });
  return `${[intro, ...sections].join('\n\n')}\n`;
}

/** Pages of these docs are linked beside this one. */
function sourceLink(source: string): string {
  return `[source](${source.replace(/^docs\//, '')})`;
}

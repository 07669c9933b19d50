import { readFileSync } from 'node:fs';
import { agentCodes } from '../packages/core/src/format/agent-manifest-codes.ts';
import { filterCodes } from '../packages/core/src/format/filter-codes.ts';
import { schemaCodes } from '../packages/core/src/format/finding-codes.ts';
import { inputCodes } from '../packages/core/src/format/input-findings.ts';
import { legacyCodes } from '../packages/core/src/format/legacy/legacy-codes.ts';
import { outputCodes } from '../packages/core/src/format/output-codes.ts';
import { promptCodes } from '../packages/core/src/format/prompt-codes.ts';
import { referenceCodes } from '../packages/core/src/format/reference-codes.ts';
import { resourceCodes } from '../packages/core/src/format/resource-codes.ts';
import { hashCodes } from '../packages/core/src/format/verify-hash.ts';
import { zCodes } from '../packages/core/src/format/z-finding.ts';
import { scanRules } from '../packages/core/src/load/scan-rules.ts';
import { resourceCallCodes } from '../packages/core/src/resources/resource-finding.ts';
import { HTTP_ERRORS } from '../packages/http/src/http-error-codes.ts';
import { callCodes, fileCodes, pathCodes } from './codes-without-table.ts';

const intro = `# Error codes

Every finding has a code that stays what it is. This page lists them all; it is written by \`node docs/generate-errors.ts\` from the tables in the code.

Severity: an \`error\` makes \`status\` false; a \`warning\` or an \`info\` does not. A rule may be milder in a case where existing schemas depend on it, so the severity of a
finding counts, not that of the table.`;

/** The text of docs/errors.md, from the tables of codes. */
export function errorsPage(): string {
  const sections = [
    intro,
    section('The schema', 'Found in `main`, in shared lists and in the `handlers` export.', schemaTable()),
    section('The security scan', 'Found in the text of a schema file, without running it.', scanTable()),
    section('Files, libraries and arguments of the library', '', severityTable(fileCodes)),
    section(
      'Input',
      'Found in the arguments of a call, before anything is sent. All are errors.',
      codeTable({ ...inputCodes, ...pathCodes }),
    ),
    section('Calls', 'What else can end a call. All are errors.', codeTable(callCodes)),
    section(
      'The network',
      'No answer came from the API, or it was refused. All are errors.',
      table(
        ['Code', 'Meaning', 'What to do'],
        Object.entries(HTTP_ERRORS).map(([code, { meaning, hint }]) => [`\`${code}\``, `${meaning}.`, hint]),
      ),
    ),
    section('Resources', 'Found in `main.resources`.', severityTable(resourceCodes)),
    section('Look-ups in resources', 'All are errors but `ROWS_CUT`.', codeTable(resourceCallCodes)),
    section(
      'Prompts and skills',
      'Found in `main.prompts`, `main.skills` and their files.',
      severityTable(promptCodes),
    ),
    section('Formats 1 and 2', 'Found while a schema is converted or migrated.', severityTable(legacyCodes)),
    section('Agents', 'Found in agent manifests.', severityTable(agentCodes)),
    section(
      'Output, filters, hashes and references',
      '',
      severityTable({ ...outputCodes, ...filterCodes, ...hashCodes, ...referenceCodes }),
    ),
    section('Handlers', 'A hook gave no answer. All are errors.', codeTable(handlerCodes())),
  ];
  return `${sections.join('\n\n')}\n`;
}

function section(title: string, lead: string, body: string): string {
  return [`## ${title}`, lead, body].filter((part) => part !== '').join('\n\n');
}

function schemaTable(): string {
  const rules = { ...schemaCodes, ...zCodes };
  const rows = Object.entries(rules).map(([code, [severity, rule]]) => [`\`${code}\``, severity, rule]);
  // The codes about `z` stand in a table of their own; readers look for a number.
  return table(['Code', 'Severity', 'Rule'], rows.sort(byCode));
}

function byCode([left = '']: readonly string[], [right = '']: readonly string[]): number {
  const family = (code: string) => (code.startsWith('`VAL') ? 0 : 1);
  return family(left) - family(right) || (left < right ? -1 : 1);
}

function scanTable(): string {
  return table(
    ['Code', 'Severity', 'Rule', 'Why, and what to do instead'],
    scanRules.map(({ code, severity, title, explanation, instead }) => [
      `\`${code}\``,
      severity,
      title,
      `${explanation} _Instead:_ ${instead}`,
    ]),
  );
}

function codeTable(codes: Readonly<Record<string, string>>): string {
  return table(
    ['Code', 'Meaning'],
    Object.entries(codes).map(([code, meaning]) => [`\`${code}\``, meaning]),
  );
}

function severityTable(codes: Readonly<Record<string, readonly [string, string]>>): string {
  return table(
    ['Code', 'Severity', 'Meaning'],
    Object.entries(codes).map(([code, [severity, meaning]]) => [`\`${code}\``, severity, meaning]),
  );
}

/** The codes of handler errors stand in the comment of their type: `| code | meaning |`. */
function handlerCodes(): Record<string, string> {
  const file = new URL('../packages/core/src/handlers/handler-error.ts', import.meta.url);
  const rows = [...readFileSync(file, 'utf8').matchAll(/^ \* \| `(\w+)` \| (.+?) \|$/gm)];
  return Object.fromEntries(rows.map(([, code = '', meaning = '']) => [code, meaning]));
}

/** A table with its columns aligned, as the formatter has it. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [head, ...rows].map((row) => row.map(escapeCell));
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const rule = line(widths.map((width) => '-'.repeat(width)));
  const [first = [], ...others] = cells;
  return [line(first), rule, ...others.map(line)].join('\n');
}

/** A bar would end the cell; outside of code, brackets and double underscores would be markup. */
function escapeCell(text: string): string {
  const parts = text.replaceAll('|', '\\|').split('`');
  return parts.map((part, index) => (index % 2 === 1 ? part : escapeText(part))).join('`');
}

function escapeText(text: string): string {
  return text.replaceAll('<', '&lt;').replaceAll('__', '\\_\\_');
}

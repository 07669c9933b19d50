import { indexCodes } from '../packages/cli/src/index/index-codes.ts';
import { settingsCodes } from '../packages/cli/src/settings/settings-codes.ts';
import { sourceCodes } from '../packages/cli/src/sources/source-codes.ts';
import { recordingCodes } from '../packages/cli/src/testing/recordings/recording.ts';
import { lockCodes } from '../packages/core/src/lock/lock-codes.ts';
import { selectCodes } from '../packages/core/src/mcp/select/select-data.ts';
import { scanRules } from '../packages/core/src/module/scan-rules.ts';
import { resourceCallCodes } from '../packages/core/src/resources/resource-finding.ts';
import { handlerErrorCodes } from '../packages/core/src/sandbox/handler-error.ts';
import { filterCodes } from '../packages/core/src/schema/filter-schemas.ts';
import {
  agentCodes,
  legacyCodes,
  listCodes,
  promptCodes,
  referenceCodes,
  resourceCodes,
  schemaCodes,
} from '../packages/core/src/schema/finding-codes.ts';
import { hashCodes } from '../packages/core/src/schema/hash.ts';
import { inputCodes } from '../packages/core/src/schema/input/check-input.ts';
import { outputCodes } from '../packages/core/src/schema/output/check-output.ts';
import { HTTP_ERRORS } from '../packages/http/src/http-error.ts';
import { callCodes, fileCodes, pathCodes } from './codes-without-table.ts';
import { markdownTable } from './markdown-table.ts';

const intro = `# Error codes

Every finding has a code that stays what it is. This page lists them all; it is written by \`node docs/generate-errors.ts\` from the tables in the code.

Severity: an \`error\` makes \`status\` false; a \`warning\` or an \`info\` does not. A rule may be milder in a case where existing schemas depend on it, so the severity of a
finding counts, not that of the table.

A finding has the place in the document as its \`path\`, such as \`main.tools.getPrice.path\` or \`handlers.getPrice\`. The path is empty where a finding is about the file as a whole, and
where what was found stands in none of its exports; then line and column tell the place.`;

/** The text of docs/errors.md, from the tables of codes. */
export function errorsPage(): string {
  const sections = [
    intro,
    section('The schema', 'Found in `main` and in the `handlers` export.', severityTable(schemaCodes)),
    section('The security scan', 'Found in the text of a schema file, without running it.', scanTable()),
    section(
      'Shared lists',
      'Found in the files of lists, in `_registry.json`, and in what lists depend on.',
      severityTable(listCodes),
    ),
    section('Files, libraries and arguments of the library', '', severityTable(fileCodes)),
    section(
      'Input',
      'Found in the arguments of a call, before anything is sent. All are errors.',
      codeTable({ ...inputCodes, ...pathCodes }),
    ),
    section(
      'Calls',
      'What else can end a call. All are errors, but for `PREVIEW_`, which a preview warns of.',
      codeTable(callCodes),
    ),
    section(
      'Selections',
      'Found in expressions that select a part of an answer. All are errors.',
      codeTable(selectCodes),
    ),
    section(
      'The network',
      'No answer came from the API, or it was refused. All are errors.',
      markdownTable(
        ['Code', 'Meaning', 'What to do'],
        Object.entries(HTTP_ERRORS).map(([code, { meaning, hint }]) => [`\`${code}\``, `${meaning}.`, hint]),
      ),
    ),
    section(
      'The lock file',
      'Found in `schemakit.lock.json`, and in schemas that are held to it.',
      severityTable(lockCodes),
    ),
    section(
      'Settings of the command',
      'Found in `config.json`, `.env` and groups, on both levels.',
      severityTable(settingsCodes),
    ),
    section(
      'Sources',
      'Found while schemas are imported and updated: in addresses, registries, repositories and archives.',
      severityTable(sourceCodes),
    ),
    section('Recorded answers', 'Found while tests are recorded and replayed.', severityTable(recordingCodes)),
    section('The index of tools', 'Found while the command reads its schemas.', severityTable(indexCodes)),
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
    section('Handlers', 'A hook gave no answer. All are errors.', codeTable(handlerErrorCodes)),
  ];
  return `${sections.join('\n\n')}\n`;
}

function section(title: string, lead: string, body: string): string {
  return [`## ${title}`, lead, body].filter((part) => part !== '').join('\n\n');
}

function scanTable(): string {
  return markdownTable(
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
  return markdownTable(
    ['Code', 'Meaning'],
    Object.entries(codes).map(([code, meaning]) => [`\`${code}\``, meaning]),
  );
}

function severityTable(codes: Readonly<Record<string, readonly [string, string]>>): string {
  return markdownTable(
    ['Code', 'Severity', 'Meaning'],
    Object.entries(codes).map(([code, [severity, meaning]]) => [`\`${code}\``, severity, meaning]),
  );
}

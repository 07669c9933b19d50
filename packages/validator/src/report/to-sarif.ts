import { type Code, codes, type Severity } from '../findings/codes.ts';
import { distinct } from '../findings/plain-object.ts';
import type { StartResult } from '../start.ts';
import { type Change, changeResults, changeRules } from './changes-in-sarif.ts';
import { placeOf } from './payment-facts.ts';
import type { ReportOptions } from './to-text.ts';

/** A log of SARIF 2.1.0, as far as it is used here. */
export interface SarifLog {
  $schema: string;
  version: '2.1.0';
  runs: SarifRun[];
}

interface SarifRun {
  tool: { driver: { name: string; informationUri: string; rules: SarifRule[] } };
  results: SarifResult[];
}

export interface SarifRule {
  id: string;
  shortDescription: { text: string };
  help: { text: string };
  defaultConfiguration: { level: Level };
}

interface SarifResult {
  ruleId: string;
  level: Level;
  message: { text: string };
  locations: {
    physicalLocation: { artifactLocation: { uri: string } };
    logicalLocations: { fullyQualifiedName: string }[];
  }[];
  partialFingerprints: { place: string };
}

export type Level = 'error' | 'warning' | 'note';

const LEVELS: Readonly<Record<Severity, Level>> = { ERROR: 'error', WARNING: 'warning', INFO: 'note' };

/** A result as SARIF 2.1.0, which code hosts show beside other checks. What a comparison found is included: changes have rules of their own. */
export function toSarif(result: StartResult, { comparison }: ReportOptions = {}): SarifLog {
  const { findings, entries } = result;
  const all = [...findings, ...(comparison?.findings ?? [])];
  const changes = comparison === undefined ? [] : changeResults(comparison);
  // A command line is no address; hosts refuse results without one.
  const uri = URL.canParse(entries.endpoint ?? '') ? (entries.endpoint ?? '') : 'mcp-server';
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'schemakit',
            informationUri: 'https://modelcontextprotocol.io',
            rules: [
              ...distinct(all.map(({ code }) => code)).map(ruleOf),
              ...changeRules.filter(({ id }) => changes.some(({ ruleId }) => ruleId === id)),
            ],
          },
        },
        results: [
          ...all.map(({ code, severity, location, text }) => {
            const place = placeOf(location, result);
            return sarifResult({ ruleId: code, level: LEVELS[severity], text, place, uri });
          }),
          ...changes.map((change) => sarifResult({ ...change, uri })),
        ],
      },
    ],
  };
}

function sarifResult({ ruleId, level, text, place, uri }: Change & { uri: string }): SarifResult {
  return {
    ruleId,
    level,
    message: { text },
    locations: [{ physicalLocation: { artifactLocation: { uri } }, logicalLocations: [{ fullyQualifiedName: place }] }],
    partialFingerprints: { place: `${ruleId} ${place}` },
  };
}

function ruleOf(code: Code): SarifRule {
  const [severity, meaning, advice] = codes[code];
  return {
    id: code,
    shortDescription: { text: meaning },
    help: { text: advice },
    defaultConfiguration: { level: LEVELS[severity] },
  };
}

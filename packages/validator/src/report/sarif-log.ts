/** The parts of SARIF 2.1.0 that are used here. */
export interface SarifLog {
  $schema: string;
  version: '2.1.0';
  runs: SarifRun[];
}

interface SarifRun {
  tool: { driver: { name: string; informationUri?: string; rules: SarifRule[] } };
  columnKind: 'utf16CodeUnits';
  results: SarifResult[];
}

export interface SarifRule {
  id: string;
  shortDescription: { text: string };
  help: { text: string; markdown?: string };
  defaultConfiguration: { level: SarifLevel };
}

interface SarifResult {
  ruleId: string;
  ruleIndex: number;
  level: SarifLevel;
  message: { text: string };
  locations: SarifLocation[];
  partialFingerprints: Readonly<Record<string, string>>;
}

interface SarifLocation {
  physicalLocation: {
    artifactLocation: ArtifactLocation;
    region?: { startLine: number; startColumn: number };
  };
  logicalLocations?: { fullyQualifiedName: string }[];
}

/** A URI; paths below the source root have `uriBaseId: '%SRCROOT%'`. */
export interface ArtifactLocation {
  uri: string;
  uriBaseId?: string;
}

export type SarifLevel = 'error' | 'warning' | 'note';

export interface SarifProblem {
  rule: SarifRule;
  level: SarifLevel;
  text: string;
  /** The file or server; without one the result has no location. */
  artifact?: ArtifactLocation | undefined;
  line?: number | undefined;
  column?: number | undefined;
  /** The location inside the file or the server. */
  name?: string | undefined;
  /** Stable for the same problem; code hosts match alerts by it. */
  fingerprints: Readonly<Record<string, string>>;
}

/** Creates a log. Rules are in order of first use. */
export function sarifLog(problems: readonly SarifProblem[], informationUri?: string): SarifLog {
  const rules = [...new Map(problems.map(({ rule }) => [rule.id, rule])).values()];
  const indexes = new Map(rules.map(({ id }, index) => [id, index]));
  const results = problems.map(({ rule, level, text, fingerprints, ...place }) => ({
    ruleId: rule.id,
    ruleIndex: indexes.get(rule.id) ?? -1,
    level,
    message: { text },
    locations: locationsOf(place),
    partialFingerprints: fingerprints,
  }));
  const driver = { name: 'schemakit', ...(informationUri !== undefined && { informationUri }), rules };
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [{ tool: { driver }, columnKind: 'utf16CodeUnits', results }],
  };
}

function locationsOf({
  artifact,
  line,
  column = 1,
  name = '',
}: Pick<SarifProblem, 'artifact' | 'line' | 'column' | 'name'>): SarifLocation[] {
  if (artifact === undefined) return [];
  const region = line === undefined ? {} : { region: { startLine: line, startColumn: column } };
  const names = name === '' ? {} : { logicalLocations: [{ fullyQualifiedName: name }] };
  return [{ physicalLocation: { artifactLocation: artifact, ...region }, ...names }];
}

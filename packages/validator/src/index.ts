export { type CompareResult, compare } from './compare/compare.ts';
export type { RugPull } from './compare/rug-pulls.ts';
export type { Modified, Section, SectionName } from './compare/sections.ts';
export type { FieldChange } from './compare/value-changes.ts';
export { type Code, type CodeEntry, codes, type Severity } from './findings/codes.ts';
export type { Finding } from './findings/finding.ts';
export { type Progress, type Step, steps } from './input/progress.ts';
export type { ProbeLimits, ProbeMode, StartOptions, StdioServer } from './input/start-options.ts';
export { McpServerValidator } from './mcp-server-validator.ts';
export { escapeMarkup, htmlPage, htmlTable } from './report/html-page.ts';
export {
  type ArtifactLocation,
  type SarifLevel,
  type SarifLog,
  type SarifProblem,
  type SarifRule,
  sarifLog,
} from './report/sarif-log.ts';
export { toHtml } from './report/to-html.ts';
export { toSarif } from './report/to-sarif.ts';
export { type ReportOptions, toText } from './report/to-text.ts';
export type { Categories, Entries } from './snapshot/snapshot.ts';
export type { PaymentOption, RestrictedCall, X402Entry } from './snapshot/x402-entry.ts';
export { type StartResult, start } from './start.ts';

import { assess } from './assess/assess.ts';
import { compare } from './compare/compare.ts';
import { lookupAgent } from './lookup-agent.ts';
import { start } from './start.ts';

export type { Assessment, AssessOptions } from './assess/assess.ts';
export { type AssessmentComparison, compareAssessments } from './assess/compare-assessments.ts';
export type { Grade, Letter } from './assess/grade.ts';
export type { AssessmentFinding, LayerResult } from './assess/layer-result.ts';
export type { CompareResult } from './compare/compare.ts';
export type { Modified, Section } from './compare/diff-items.ts';
export type { SectionName } from './compare/sections.ts';
export type { RugPull } from './compare/summary.ts';
export type { FieldChange } from './compare/value-changes.ts';
export type { CodeEntry, Severity } from './findings/code-table.ts';
export { type Code, codes } from './findings/codes.ts';
export type { Evidence } from './findings/evidence.ts';
export type { Finding } from './findings/finding.ts';
export type { Erc8004Options } from './input/agent-options.ts';
export { type LayerName, layerNames } from './input/layer-names.ts';
export {
  type ProbeLimits,
  type ProbeMode,
  type Progress,
  type StartOptions,
  type StdioServer,
  type Step,
  steps,
} from './input/start-options.ts';
export type { UriType } from './layers/erc8004/agent-uri.ts';
export { chainAliases } from './layers/erc8004/chains.ts';
export type { DomainVerification } from './layers/erc8004/domain-proof.ts';
export type { AgentRecord, Classification } from './layers/erc8004/look-up.ts';
export type { Feedback, Reputation, TagSummary, Validations } from './layers/erc8004/read-agent.ts';
export type { AgentEndpoints, AgentService } from './layers/erc8004/registration.ts';
export type { LookupOptions, LookupResult } from './lookup-agent.ts';
// Pages, SARIF and the choice of tools are for our own packages.
export { toolsThatMayWrite } from './probe/probe-tools.ts';
export { escapeMarkup, htmlPage, htmlTable } from './report/html-page.ts';
export type { ReportOptions } from './report/report-options.ts';
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
export { toText } from './report/to-text.ts';
export type { Categories, Entries } from './snapshot/snapshot.ts';
export type { PaymentOption, RestrictedCall, X402Entry } from './snapshot/x402-entry.ts';
export type { StartResult } from './start.ts';
export { assess, compare, lookupAgent, start };

/**
 * Inspects MCP servers and checks their payment terms.
 *
 * @example
 * const before = await McpServerValidator.start({ endpoint: 'https://example.com/mcp', timeout: 10_000 });
 * const after = await McpServerValidator.start({ endpoint: 'https://example.com/mcp' });
 * const { hasChanges, summary } = McpServerValidator.compare({ before, after });
 */
export const McpServerValidator: { start: typeof start; compare: typeof compare } = { start, compare };

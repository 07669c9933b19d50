import type { Assessment, AssessmentFinding, LayerName, LayerResult } from '@schemakit/validator';

/** A report as the page shows it. */
export interface ShownReport {
  /** Null if the service could not keep it. */
  id: string | null;
  /** Without the values of its query, which may be secrets. */
  url: string;
  /** The same with them. Known only to the page that made the check. */
  fullUrl?: string;
  createdAt: string;
  assessment: Assessment;
}

/** The layers that ended so far, or all. */
export type Layers = Readonly<Partial<Record<LayerName, LayerResult>>>;

export const layerOrder: readonly LayerName[] = ['http', 'mcp', 'a2a', 'payment', 'oauth', 'apps', 'html', 'erc8004'];

/** The findings of a layer. A layer that was not detected has some only in the whole result. */
export function findingsOf(name: LayerName, layers: Layers, report: ShownReport | undefined): AssessmentFinding[] {
  if (report !== undefined) return report.assessment.findings.filter(({ layer }) => layer === name);
  const layer = layers[name];
  return layer?.detected === true ? layer.findings : [];
}

/** The worst first; else as the validator has them. */
export function worstFirst(findings: readonly AssessmentFinding[]): AssessmentFinding[] {
  return (['ERROR', 'WARNING', 'INFO'] as const).flatMap((severity) =>
    findings.filter((finding) => finding.severity === severity),
  );
}

/** The place of a finding in the document. */
export function anchorOf({ layer, id }: AssessmentFinding): string {
  return `${layer ?? 'request'}-${id.replaceAll(/[^\w.-]+/g, '_')}`;
}

import type { Assessment, AssessmentComparison } from '@schemakit/validator';
import { ask, problemText } from '../api.ts';
import type { Page } from '../page-context.ts';
import type { KeptReport } from '../page-state.ts';
import { at } from '../report/entries.ts';
import { isAssessment } from '../report/is-assessment.ts';
import type { Choice } from './report-choice.tsx';

/** One of two reports that are compared. */
export interface Side {
  url: string;
  createdAt: string;
  assessment: Assessment;
  /** What `/api/compare` takes for it. */
  reference: string | Assessment;
}

export interface Compared {
  before: Side;
  after: Side;
  comparison: AssessmentComparison;
}

/** Gets both reports and their differences; or says why not. */
export async function compareReports(choices: readonly [Choice, Choice], page: Page): Promise<Compared | string> {
  const [before, after] = await Promise.all(choices.map((choice) => sideOf(choice, page)));
  if (before === undefined || after === undefined) return page.texts.comparing.bad;
  if (typeof before === 'string') return before;
  if (typeof after === 'string') return after;
  const body = { before: before.reference, after: after.reference };
  const answer = await ask<AssessmentComparison>('/api/compare', { body });
  if ('problem' in answer) return problemText(answer.problem, page.texts);
  return { before, after, comparison: answer.value };
}

async function sideOf({ text, file }: Choice, { texts }: Page): Promise<Side | string | undefined> {
  if (file !== undefined) {
    const value = await file
      .text()
      .then((json): unknown => JSON.parse(json))
      .catch(() => undefined);
    const assessment = isAssessment(value) ? value : at(value, 'assessment');
    if (!isAssessment(assessment)) return texts.comparing.badFile(file.name);
    const [url, createdAt] = [assessment.entries.endpoint, assessment.entries.timestamp].map(String);
    return { url: url ?? '', createdAt: createdAt ?? '', assessment, reference: assessment };
  }
  const id = reportId(text);
  if (id === undefined) return undefined;
  const answer = await ask<KeptReport>(`/api/reports/${id}`);
  if ('value' in answer) return { ...answer.value, reference: id };
  return answer.problem.status === 404 ? `${texts.notFound.heading}: ${id}` : problemText(answer.problem, texts);
}

/** The id in a link, or the text itself. */
function reportId(text: string): string | undefined {
  const [, id] = /(?:^|\/reports\/)([\w-]{8,})(?:[/?#].*)?$/.exec(text.trim()) ?? [];
  return id;
}

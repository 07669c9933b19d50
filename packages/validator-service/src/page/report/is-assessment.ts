import type { Assessment } from '@schemakit/validator';
import { at } from './entries.ts';
import { layerOrder } from './shown-report.ts';

/** Whether JSON has the parts of an assessment that the page reads without looking. */
export function isAssessment(value: unknown): value is Assessment {
  return (
    typeof at(value, 'grade', 'letter') === 'string' &&
    typeof at(value, 'entries') === 'object' &&
    Array.isArray(at(value, 'findings')) &&
    layerOrder.every((name) => typeof at(value, 'layers', name, 'state') === 'string')
  );
}

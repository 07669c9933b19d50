import { readFile } from 'node:fs/promises';
import type { ServedApp } from './served-app.ts';

const built = import.meta.url.endsWith('.ts') ? '../../dist/apps/answer.html' : './apps/answer.html';

// Their answers are for models.
const isForModels = new Set(['search_tools', 'describe_tool']);

/** The page for answers of any tool, which `packages/web` builds: as a table, a tree or a chart, with what was left out. */
export const answerApp: ServedApp = {
  uri: 'ui://schemakit/answer',
  title: 'Answer',
  html: () => readFile(new URL(built, import.meta.url), 'utf8'),
  shows: (tool) => !isForModels.has(tool),
  canSelect: true,
};

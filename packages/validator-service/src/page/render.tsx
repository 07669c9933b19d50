import { renderToString } from 'preact-render-to-string';
import { App } from './app.tsx';
import type { Language, PageState } from './page-state.ts';
import { de } from './texts/de.ts';
import { en } from './texts/en.ts';
import type { Texts } from './texts/texts.ts';

/** The files that Vite built: paths below the service's base path. */
export interface PageAssets {
  script: string;
  styles: readonly string[];
}

const TEXTS: Readonly<Record<Language, Texts>> = { en, de };

/** The whole HTML document of a page, complete without script. */
export function renderPage(state: PageState, { script, styles }: PageAssets): string {
  const links = styles.map((path) => `<link rel="stylesheet" href="${path}">`).join('');
  // A data block is not executed, so a strict content security policy allows it; `<` must not end it.
  const json = JSON.stringify(state).replaceAll('<', '\\u003c');
  return `<!doctype html>
<html lang="${state.language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark"><meta name="robots" content="noindex">
<title>${escapeHtml(titleOf(state))}</title><link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
${links}<script type="module" src="${script}"></script></head>
<body><div id="app">${renderToString(<App state={state} texts={TEXTS[state.language]} />)}</div><script type="application/json" id="state">${json}</script></body></html>`;
}

function titleOf(state: PageState): string {
  const { title, grade, notFound } = TEXTS[state.language];
  if (state.view === 'home') return title;
  if (state.view === 'not-found') return `${notFound.heading} · ${title}`;
  const { assessment, url } = state.report;
  return `${grade.label(assessment.grade.letter)} · ${url} · ${title}`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

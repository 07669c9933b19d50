import { renderToString } from 'preact-render-to-string';
import { App } from './app.tsx';
import type { PageState } from './page-state.ts';

/** The files that Vite built: paths below the service's base path. */
export interface PageAssets {
  script: string;
  styles: readonly string[];
}

/** The whole HTML document of a page, complete without script. */
export function renderPage(state: PageState, { script, styles }: PageAssets): string {
  const links = styles.map((path) => `<link rel="stylesheet" href="${path}">`).join('');
  // A data block is not executed, so a strict content security policy allows it; `<` must not end it.
  const json = JSON.stringify(state).replaceAll('<', '\\u003c');
  return `<!doctype html>
<html lang="${state.language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>SchemaKit Validator</title>${links}<script type="module" src="${script}"></script></head>
<body><div id="app">${renderToString(<App state={state} />)}</div><script type="application/json" id="state">${json}</script></body></html>`;
}

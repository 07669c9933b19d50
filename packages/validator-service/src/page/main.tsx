import { hydrate } from 'preact';
import { App } from './app.tsx';
import type { Language, PageState } from './page-state.ts';
import './styles/page.css';
import type { Texts } from './texts/texts.ts';

// A reader loads one language only.
const languages: Readonly<Record<Language, () => Promise<Texts>>> = {
  en: async () => (await import('./texts/en.ts')).en,
  de: async () => (await import('./texts/de.ts')).de,
};

const json = document.getElementById('state')?.textContent;
const root = document.getElementById('app');
if (json && root) {
  const state = JSON.parse(json) as PageState;
  hydrate(<App state={state} texts={await languages[state.language]()} />, root);
}

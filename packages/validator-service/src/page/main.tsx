import { hydrate } from 'preact';
import { App } from './app.tsx';
import type { PageState } from './page-state.ts';
import './page.css';

const state = document.getElementById('state')?.textContent;
const root = document.getElementById('app');
if (state && root) hydrate(<App state={JSON.parse(state) as PageState} />, root);

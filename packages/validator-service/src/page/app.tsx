import type { VNode } from 'preact';
import type { PageState } from './page-state.ts';

export function App({ state }: { state: PageState }): VNode {
  return (
    <main lang={state.language}>
      <form method="post" action="/check">
        <input name="url" type="url" autofocus required />
        <button type="submit">Check</button>
      </form>
      {state.view === 'report' && <h1>{state.report.assessment.grade.letter}</h1>}
    </main>
  );
}

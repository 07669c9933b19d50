import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { CheckView } from './check/check-view.tsx';
import { HomeView } from './check/home-view.tsx';
import { Foot, Head, type ViewName } from './frame.tsx';
import { type Page, PageContext, pageOf, usePage } from './page-context.ts';
import type { PageState } from './page-state.ts';
import { ReportView } from './report/report-view.tsx';
import type { Texts } from './texts/texts.ts';

/** What stands between head and foot of the page. */
interface View {
  name: ViewName;
  show: () => VNode;
}

/** The page. The server renders what `state` says; in the browser, other views follow from the hash and from checks. */
export function App({ state, texts }: { state: PageState; texts: Texts }): VNode {
  const given: View = { name: state.view, show: () => <Given state={state} /> };
  const view = useSignal(given);
  const latest = useRef<Readonly<Record<string, string>>>({});
  const page = useMemo((): Page => {
    let round = 0;
    return {
      ...pageOf(state, texts),
      check(url, headers = {}) {
        latest.current = headers;
        const key = round++;
        view.value = { name: 'check', show: () => <CheckView key={key} url={url} headers={headers} /> };
        window.scrollTo(0, 0);
      },
      ownHeaders: () => latest.current,
    };
  }, [state, texts]);
  useEffect(() => {
    const { pathname } = location;
    const follow = async (event?: Event): Promise<void> => {
      const { hash } = location;
      const isHere = location.pathname === pathname;
      // Back at the address that a check ended with, when its view is gone.
      if (!isHere && view.value.name !== 'check') return location.reload();
      if (!isHere || state.view !== 'home') return;
      const named = hash === '' ? given : await viewOf(hash);
      if (named === undefined || location.hash !== hash) return;
      view.value = named;
      if (event !== undefined) document.getElementById('content')?.focus();
    };
    follow();
    addEventListener('popstate', follow);
    return () => removeEventListener('popstate', follow);
  }, [state]);
  const { name, show } = view.value;
  return (
    <PageContext.Provider value={page}>
      <a class="skip" href="#content">
        {texts.skipToContent}
      </a>
      <Head view={name} />
      <main id="content" tabIndex={-1}>
        {show()}
      </main>
      <Foot />
    </PageContext.Provider>
  );
}

/** Views are loaded when they are opened. Undefined for the hash of a place in a view, such as a finding. */
async function viewOf(hash: string): Promise<View | undefined> {
  const [name, reports = ''] = hash.slice(1).split('=');
  if (name === 'lookup') {
    const { LookupView } = await import('./lookup/lookup-view.tsx');
    return { name, show: () => <LookupView /> };
  }
  if (name === 'history') {
    const { HistoryView } = await import('./history/history-view.tsx');
    return { name, show: () => <HistoryView /> };
  }
  if (name !== 'compare') return undefined;
  const { CompareView } = await import('./compare/compare-view.tsx');
  return { name, show: () => <CompareView reports={reports} /> };
}

function Given({ state }: { state: PageState }): VNode {
  const { texts, linkTo } = usePage();
  if (state.view === 'home') return <HomeView url={state.url} problem={state.problem} />;
  if (state.view === 'report') {
    const { report } = state;
    return <ReportView url={report.url} layers={report.assessment.layers} report={report} />;
  }
  return (
    <section class="view not-found">
      <h1>{texts.notFound.heading}</h1>
      <p class="lead">{texts.notFound.lead}</p>
      <a class="button primary" href={linkTo('/')}>
        {texts.notFound.home}
      </a>
    </section>
  );
}

import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import { usePage } from '../page-context.ts';
import { CheckList } from './check-list.tsx';
import { forgetAll, forgetCheck, type OwnCheck, ownChecks } from './history.ts';

/** The checks of this browser. */
export function HistoryView(): VNode {
  const { texts } = usePage();
  const checks = useSignal<OwnCheck[]>([]);
  useEffect(() => {
    checks.value = ownChecks();
  }, []);
  return (
    <section class="view">
      <h1>{texts.histories.heading}</h1>
      <p class="lead">{texts.histories.lead}</p>
      {checks.value.length === 0 ? (
        <p class="card empty">{texts.histories.empty}</p>
      ) : (
        <>
          <CheckList
            checks={checks.value}
            onForget={(id) => {
              forgetCheck(id);
              checks.value = ownChecks();
            }}
          />
          <button
            type="button"
            class="quiet is-danger"
            onClick={() => {
              forgetAll();
              checks.value = [];
            }}
          >
            {texts.histories.clear}
          </button>
        </>
      )}
    </section>
  );
}

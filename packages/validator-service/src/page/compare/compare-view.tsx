import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import { usePage } from '../page-context.ts';
import { ProblemBox } from '../parts/problem-box.tsx';
import { type Compared, compareReports } from './compare-reports.ts';
import { Differences } from './differences.tsx';
import { type Choice, ReportChoice } from './report-choice.tsx';

/** Compares two reports. `reports` is `<before>..<after>` of the address; either may be empty. */
export function CompareView({ reports }: { reports: string }): VNode {
  const page = usePage();
  const { texts } = page;
  const [first = '', second = ''] = reports.split('..');
  const before = useSignal<Choice>({ text: first, file: undefined });
  const after = useSignal<Choice>({ text: second, file: undefined });
  const isBusy = useSignal(false);
  const outcome = useSignal<Compared | string | undefined>(undefined);
  const compare = async (): Promise<void> => {
    isBusy.value = true;
    outcome.value = await compareReports([before.value, after.value], page);
    isBusy.value = false;
  };
  useEffect(() => {
    before.value = { text: first, file: undefined };
    after.value = { text: second, file: undefined };
    outcome.value = undefined;
    if (first !== '' && second !== '') compare();
  }, [reports]);
  const compared = outcome.value;
  const isProblem = typeof compared === 'string';
  const said = isProblem || compared === undefined ? '' : texts.comparing.changed(changeCount(compared));
  return (
    <section class="view">
      <h1>{texts.comparing.heading}</h1>
      <p class="lead">{texts.comparing.lead}</p>
      <form
        class="card compare-form"
        onSubmit={(event) => {
          event.preventDefault();
          compare();
        }}
      >
        <ReportChoice name="before" choice={before.value} onChoose={(choice) => (before.value = choice)} />
        <ReportChoice name="after" choice={after.value} onChoose={(choice) => (after.value = choice)} />
        <button type="submit" class="primary" disabled={isBusy.value}>
          {texts.comparing.button}
        </button>
        <p class="progress" role="status" aria-live="polite">
          {isBusy.value ? texts.comparing.busy : said}
        </p>
      </form>
      {isProblem && <ProblemBox text={compared} />}
      {!isProblem && compared !== undefined && <Differences compared={compared} />}
    </section>
  );
}

function changeCount({ comparison: { diff } }: Compared): number {
  return Object.values(diff).reduce(
    (sum, { added, removed, modified }) => sum + added.length + removed.length + modified.length,
    0,
  );
}

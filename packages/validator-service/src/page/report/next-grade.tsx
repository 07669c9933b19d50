import type { VNode } from 'preact';
import { usePage } from '../page-context.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Quoted } from '../parts/quoted.tsx';
import { Shape } from '../parts/shapes.tsx';
import { fixForAgent, fixForPerson } from './fix-text.ts';
import { anchorOf, layerOrder, type ShownReport } from './shown-report.ts';

const MAX_SHOWN = 5;

/** The shortest way to the next grade. */
export function NextGrade({ report }: { report: ShownReport }): VNode {
  const { texts } = usePage();
  const { grade, findings, layers } = report.assessment;
  if (grade.next === null) {
    const unknown = layerOrder.filter((name) => layers[name].state === 'not-evaluated');
    const names = unknown.map((name) => texts.layers[name].name).join(', ');
    return (
      <section class={names === '' ? 'next is-best' : 'next is-best is-partly'}>
        <Shape of={names === '' ? 'passed' : 'not-evaluated'} />
        <p>{names === '' ? texts.grade.best : texts.grade.bestPartly(names)}</p>
      </section>
    );
  }
  const { letter, mend } = grade.next;
  const toMend = findings.filter(({ id }) => mend.includes(id));
  // The same fault at several places is one thing to do.
  const groups = [...Map.groupBy(toMend, ({ code }) => code).values()];
  return (
    <section class="next">
      <h2>{grade.letter === 'F' ? texts.grade.nextUnreachable : texts.grade.next(letter, groups.length)}</h2>
      <ol>
        {groups.slice(0, MAX_SHOWN).map(([first, ...others]) =>
          first === undefined ? null : (
            <li key={first.id}>
              <Shape of={first.severity} />
              <div>
                <a href={`#${anchorOf(first)}`}>
                  <Quoted text={first.fix} />
                </a>
                <span class="code">
                  {first.code}
                  {others.length > 0 && ` × ${others.length + 1}`}
                </span>
              </div>
            </li>
          ),
        )}
      </ol>
      {groups.length > MAX_SHOWN && <p class="muted">{texts.grade.more(groups.length - MAX_SHOWN)}</p>}
      {toMend.length > 0 && (
        <p class="row">
          <CopyButton label={texts.grade.copyAgent} text={() => fixForAgent(toMend, report.url)} />
          <CopyButton label={texts.grade.copyPerson} text={() => fixForPerson(toMend, report.url)} />
        </p>
      )}
    </section>
  );
}

import type { FieldChange, LayerName, Section } from '@schemakit/validator';
import type { VNode } from 'preact';
import { usePage } from '../page-context.ts';
import { Quoted } from '../parts/quoted.tsx';
import { Shape } from '../parts/shapes.tsx';
import { GradeMark } from '../report/grade-mark.tsx';
import { shownTime } from '../report/numbers.ts';
import { layerOrder } from '../report/shown-report.ts';
import type { Compared, Side } from './compare-reports.ts';

/** Two reports side by side, and what changed in each layer. */
export function Differences({ compared: { before, after, comparison } }: { compared: Compared }): VNode {
  const { texts } = usePage();
  return (
    <div class="card differences">
      <div class="sides">
        <SideHead title={texts.comparing.before} side={before} />
        <SideHead title={texts.comparing.after} side={after} />
      </div>
      {!comparison.hasChanges && (
        <p class="row empty">
          <Shape of="passed" /> {texts.comparing.same}
        </p>
      )}
      {layerOrder.map((name) => (
        <LayerChanges key={name} name={name} before={before} after={after} section={comparison.diff[name]} />
      ))}
    </div>
  );
}

function SideHead({ title, side: { url, createdAt, assessment } }: { title: string; side: Side }): VNode {
  const { texts, language } = usePage();
  return (
    <div class="side">
      <GradeMark letter={assessment.grade.letter} small />
      <div>
        <p class="muted">{title}</p>
        <p>
          <span class="unseen">{texts.grade.label(assessment.grade.letter)}: </span>
          <span class="address" dir="ltr">
            {url}
          </span>
        </p>
        <time class="muted" dateTime={createdAt}>
          {shownTime(createdAt, language)}
        </time>
      </div>
    </div>
  );
}

interface LayerChangesProps {
  name: LayerName;
  before: Side;
  after: Side;
  section: Section;
}

function LayerChanges({ name, before, after, section: { added, removed, modified } }: LayerChangesProps): VNode {
  const { texts } = usePage();
  const states = [before, after].map(({ assessment }) => assessment.layers[name].state);
  const count = added.length + removed.length + modified.length;
  return (
    <section class="layer-changes">
      <h2>
        {texts.layers[name].name}
        <span class="muted">
          {count > 0
            ? texts.comparing.changed(count)
            : states.includes('not-evaluated')
              ? texts.comparing.notCompared
              : texts.comparing.same}
        </span>
      </h2>
      <div class="sides">
        {states.map((state, index) => (
          <p key={index} class={`state is-${state}`}>
            <Shape of={state} />
            {texts.states[state]}
          </p>
        ))}
      </div>
      {count > 0 && (
        <ul class="changes">
          {removed.map((item) => (
            <Item key={`-${item}`} kind="removed" name={item} text={findingText(item, before)} />
          ))}
          {added.map((item) => (
            <Item key={`+${item}`} kind="added" name={item} text={findingText(item, after)} />
          ))}
          {modified.map(({ name: item, changes }) => (
            <Item key={`~${item}`} kind="modified" name={item} changes={changes} />
          ))}
        </ul>
      )}
    </section>
  );
}

function findingText(item: string, { assessment }: Side): string | undefined {
  return assessment.findings.find(({ id }) => `findings/${id}` === item)?.text;
}

const SIGNS = { added: '+', removed: '−', modified: '±' } as const;

interface ItemProps {
  kind: keyof typeof SIGNS;
  name: string;
  /** What a finding says. */
  text?: string | undefined;
  changes?: readonly FieldChange[];
}

function Item({ kind, name, text, changes = [] }: ItemProps): VNode {
  const { texts } = usePage();
  return (
    <li class={`change is-${kind}`}>
      <p>
        <span class="sign" aria-hidden="true">
          {SIGNS[kind]}
        </span>
        <span class="kind">{texts.comparing[kind]}</span>
        <code dir="auto">{name}</code>
      </p>
      {text !== undefined && (
        <p class="muted">
          <Quoted text={text} />
        </p>
      )}
      {changes.map(({ field, before, after }) => (
        <div key={field} class="field-change">
          {field !== '' && <p class="muted">{field}</p>}
          <div class="sides">
            {[before, after].map((value, index) => (
              // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolls, so the keyboard must reach it
              <pre key={index} tabIndex={0} dir="auto">
                {shown(value, texts.comparing.nothing)}
              </pre>
            ))}
          </div>
        </div>
      ))}
    </li>
  );
}

function shown(value: unknown, nothing: string): string {
  if (value === null || value === undefined) return nothing;
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

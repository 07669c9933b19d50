import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import { CheckList } from '../history/check-list.tsx';
import { type OwnCheck, ownChecks } from '../history/history.ts';
import { usePage } from '../page-context.ts';
import { layerOrder } from '../report/shown-report.ts';
import { CheckForm } from './check-form.tsx';

const MAX_RECENT = 3;

/** The field, what comes of it, and what came of it before. */
export function HomeView({ url, problem }: { url?: string | undefined; problem?: string | undefined }): VNode {
  const { texts } = usePage();
  const recent = useSignal<OwnCheck[]>([]);
  useEffect(() => {
    recent.value = ownChecks().slice(0, MAX_RECENT);
  }, []);
  return (
    <>
      <section class="hero">
        <h1>{texts.home.heading}</h1>
        <p class="lead">{texts.home.lead}</p>
        <CheckForm url={url} problem={problem} />
      </section>
      <section class="what">
        <h2>{texts.home.layersHeading}</h2>
        <ul>
          {layerOrder.map((name) => (
            <li key={name}>
              <strong>{texts.layers[name].name}</strong>
              <span>{texts.layers[name].about}</span>
            </li>
          ))}
        </ul>
      </section>
      {recent.value.length > 0 && (
        <section class="recent">
          <h2>{texts.home.recent}</h2>
          <CheckList checks={recent.value} />
        </section>
      )}
    </>
  );
}

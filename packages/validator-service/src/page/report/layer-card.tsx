import type { AssessmentFinding, LayerName, LayerResult } from '@schemakit/validator';
import type { VNode } from 'preact';
import { usePage } from '../page-context.ts';
import { Quoted } from '../parts/quoted.tsx';
import { Shape } from '../parts/shapes.tsx';
import { Connection } from './connection.tsx';
import { FindingItem } from './finding-item.tsx';
import { layerFacts } from './layer-facts.ts';
import { shownNumber } from './numbers.ts';
import { Prices } from './prices.tsx';
import { RawJson } from './raw-json.tsx';
import { findingsOf, type Layers, type ShownReport, worstFirst } from './shown-report.ts';
import { ToolList } from './tool-list.tsx';

interface LayerCardProps {
  name: LayerName;
  layers: Layers;
  report: ShownReport | undefined;
}

/** A layer: its state, three facts, and its findings. It has its place, and nearly its height, before the layer ends. */
export function LayerCard({ name, layers, report }: LayerCardProps): VNode {
  const { texts, language } = usePage();
  const layer = layers[name];
  const state = layer?.state ?? 'waiting';
  const findings = worstFirst(findingsOf(name, layers, report));
  // While the check runs, all of them are closed in one line, so that cards below stay where they are.
  const isNote = ({ severity }: AssessmentFinding): boolean => report !== undefined && severity === 'INFO';
  const [notes, work] = [findings.filter(isNote), findings.filter((found) => !isNote(found))];
  return (
    <section
      class={`card layer is-${state}${report === undefined ? ' is-running' : ''}`}
      id={`layer-${name}`}
      aria-busy={layer === undefined}
      aria-labelledby={`title-${name}`}
    >
      <header>
        <h2 id={`title-${name}`}>{texts.layers[name].name}</h2>
        <p class="about">{texts.layers[name].about}</p>
        <p class={`state is-${state}`}>
          <Shape of={state} />
          {texts.states[state]}
        </p>
      </header>
      {layer === undefined ? <Skeleton /> : <Seen name={name} layer={layer} createdAt={report?.createdAt} />}
      {layer !== undefined && <FindingGroup findings={work} report={report} isOpen={report !== undefined} />}
      {layer !== undefined && <FindingGroup findings={notes} report={report} isOpen={false} />}
      {layer?.detected === true && report !== undefined && (
        <>
          {name === 'http' && <Connection entries={layer.entries} createdAt={report.createdAt} />}
          {name === 'mcp' && <ToolList layers={layers} findings={findings} />}
          {name === 'payment' && <Prices entries={layer.entries} />}
          <footer>
            <RawJson value={layer} />
            <span class="muted">{texts.pictures.ms(shownNumber(layer.durationMs, language))}</span>
          </footer>
        </>
      )}
    </section>
  );
}

function Skeleton(): VNode {
  return (
    <div class="skeleton" aria-hidden="true">
      <i />
      <i />
      <i />
    </div>
  );
}

function Seen({
  name,
  layer,
  createdAt,
}: {
  name: LayerName;
  layer: LayerResult;
  createdAt: string | undefined;
}): VNode {
  const { texts, language } = usePage();
  if (!layer.detected)
    return (
      <p class="reason">
        <Quoted text={layer.skipped} />
      </p>
    );
  const now = createdAt === undefined ? Date.now() : Date.parse(createdAt);
  return (
    <dl class="facts">
      {layerFacts(name, layer.entries, { texts, language, now }).map(({ label, value }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd dir="auto">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

interface FindingGroupProps {
  findings: readonly AssessmentFinding[];
  report: ShownReport | undefined;
  isOpen: boolean;
}

/** Findings behind a line that counts them. The same fault at several places is one item. */
function FindingGroup({ findings, report, isOpen }: FindingGroupProps): VNode | null {
  const { texts } = usePage();
  if (findings.length === 0) return null;
  const counts = [...Map.groupBy(findings, ({ severity }) => severity)];
  const items = Map.groupBy(findings, ({ code, text, fix }) => `${code} ${text} ${fix}`);
  return (
    <details class="finding-group" open={isOpen}>
      <summary>
        {counts.map(([severity, { length }]) => (
          <span key={severity} class={`count is-${severity}`}>
            <Shape of={severity} />
            {texts.counts[severity](length)}
          </span>
        ))}
      </summary>
      <ul class="findings">
        {[...items].map(([key, same]) => (
          <FindingItem key={key} same={same} report={report} />
        ))}
      </ul>
    </details>
  );
}

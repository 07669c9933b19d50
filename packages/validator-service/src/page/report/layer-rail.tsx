import type { VNode } from 'preact';
import { usePage } from '../page-context.ts';
import { Shape } from '../parts/shapes.tsx';
import { type Layers, layerOrder } from './shown-report.ts';

/** All layers at a glance, each with its state and a link to its card. */
export function LayerRail({ layers }: { layers: Layers }): VNode {
  const { texts } = usePage();
  return (
    <nav class="rail" aria-label={texts.home.layersHeading}>
      <ul>
        {layerOrder.map((name) => {
          const state = layers[name]?.state ?? 'waiting';
          return (
            <li key={name}>
              <a href={`#layer-${name}`} class={`is-${state}`}>
                <Shape of={state} />
                <span>
                  <span class="rail-name">{texts.layers[name].name}</span>
                  <span class="rail-state">{texts.states[state]}</span>
                </span>
              </a>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}

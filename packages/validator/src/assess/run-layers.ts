import { secretMask } from '../findings/mask-secrets.ts';
import { asPlainJson } from '../findings/plain-object.ts';
import { reasonOf } from '../findings/plain-text.ts';
import type { AssessSettings } from '../input/assess-options.ts';
import type { LayerName } from '../input/layer-names.ts';
import { type Clock, settlesWithin, startClock } from '../network/clock.ts';
import { openNetwork, withDocumentCache } from '../network/network.ts';
import type { Layer, LayerContext, LayerOutcome } from './layer.ts';
import { type EndedLayer, endedLayer, type LayerResult } from './layer-result.ts';
import { openShared } from './shared.ts';

/** Layers end by this share of the time, so that they can still say what they saw. */
const SHARE = 0.9;

/** Time-out for closing connections. */
const CLOSE_MS = 500;

export interface RunLayersOptions {
  layers: readonly Layer[];
  onLayer?: ((name: LayerName, layer: LayerResult) => void) | undefined;
}

/** Runs layers at once, over one network and one deadline. A layer that throws or hangs fails only itself. */
export async function runLayers(
  settings: AssessSettings,
  { layers, onLayer = () => {} }: RunLayersOptions,
): Promise<{ ended: Map<LayerName, EndedLayer>; isReachable: boolean }> {
  const clock = startClock(settings);
  const network = withDocumentCache(openNetwork(settings, clock));
  const shared = openShared({ settings, network, clock: clock.part(SHARE) });
  const mask = secretMask(settings);
  const ended = new Map<LayerName, EndedLayer>();
  const runLayer = async (layer: Layer): Promise<void> => {
    const context = { url: settings.endpoint, settings, network, clock: clock.part(SHARE), shared };
    const end = mask(await endOf(layer, context, clock));
    context.clock.release();
    ended.set(layer.name, end);
    // A bug of the listener must not end the assessment, nor the process.
    const tell = async (): Promise<void> => onLayer(layer.name, structuredClone(end.result));
    tell().catch(() => {});
  };
  await Promise.all(layers.map(runLayer));
  const isReachable = await shared.isReachable();
  // Before the deadline is released, so that the server hears the goodbye.
  await settlesWithin(shared.close(), CLOSE_MS);
  clock.release();
  await settlesWithin(network.close(), CLOSE_MS);
  return { ended, isReachable };
}

async function endOf(layer: Layer, context: LayerContext, clock: Clock): Promise<EndedLayer> {
  const begin = performance.now();
  const end = (outcome: LayerOutcome): EndedLayer =>
    asPlainJson(endedLayer(layer.name, outcome, Math.round(performance.now() - begin)));
  const unfinished = (skipped: string): EndedLayer => end({ detected: false, state: 'not-evaluated', skipped });
  try {
    const running = Promise.resolve(context).then(async (given) => ({ outcome: await layer.run(given) }));
    const finished = await clock.within(running);
    return finished === undefined ? unfinished(`Not finished, because ${clock.why()}.`) : end(finished.outcome);
  } catch (error) {
    return unfinished(`Failed: ${reasonOf(error)}`);
  }
}

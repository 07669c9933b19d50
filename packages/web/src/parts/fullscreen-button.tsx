import type { VNode } from 'preact';
import type { Host } from '../host/connect-host.ts';

/** Asks for the whole window, where the host has that. */
export function FullscreenButton({ host }: { host: Host }): VNode | null {
  const { displayMode = 'inline', availableDisplayModes = [] } = host.context.value;
  const mode = displayMode === 'fullscreen' ? 'inline' : 'fullscreen';
  if (!availableDisplayModes.includes(mode)) return null;
  return (
    <button
      type="button"
      class="quiet"
      onClick={() => void host.request('ui/request-display-mode', { mode }).catch(() => {})}
    >
      {mode === 'fullscreen' ? 'Expand' : 'Close'}
    </button>
  );
}

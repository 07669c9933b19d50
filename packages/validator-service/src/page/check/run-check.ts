import type { Assessment, LayerName, LayerResult } from '@schemakit/validator';
import { asJson, type Problem, problemOf } from '../api.ts';
import { readEvents } from './read-events.ts';

/** The result of a check, with what keeps and deletes its report. */
export type CheckResult = Assessment & { reportId: string | null; deleteToken?: string | null };

/** What a check tells while it runs. */
export interface CheckListener {
  onQueued(position: number): void;
  onLayer(name: LayerName, layer: LayerResult): void;
  onReconnecting(): void;
  onEnd(result: CheckResult): void;
  /** Null if the connection was lost. */
  onProblem(problem: Problem | null): void;
}

export interface CheckOptions extends CheckListener {
  /** Where `/api/assess` is. */
  path: string;
  url: string;
  headers: Readonly<Record<string, string>>;
}

/** Runs a check. Returns a function that stops listening. */
export function runCheck(options: CheckOptions): () => void {
  // Own headers must not stand in a URL, where logs and histories keep them.
  return Object.keys(options.headers).length > 0 ? fetchEvents(options) : resumeEvents(options);
}

/** By `EventSource`, which resumes after a lost connection. */
function resumeEvents(options: CheckOptions): () => void {
  const source = new EventSource(`${options.path}/stream?url=${encodeURIComponent(options.url)}`);
  let hasEvents = false;
  let stop = (): void => source.close();
  for (const name of EVENTS)
    source.addEventListener(name, ({ data }: MessageEvent<string>) => {
      hasEvents = true;
      if (tell(name, data, options)) source.close();
    });
  source.onerror = () => {
    if (source.readyState === EventSource.CONNECTING && hasEvents) return options.onReconnecting();
    source.close();
    // An EventSource does not say why the service refused. Asked the other way, it does.
    if (hasEvents) options.onProblem(null);
    else stop = fetchEvents(options);
  };
  return () => stop();
}

/** By POST, for what an EventSource cannot send or read. */
function fetchEvents(options: CheckOptions): () => void {
  const { path, url, headers } = options;
  const abort = new AbortController();
  const read = async (): Promise<void> => {
    const { body, headers: json } = asJson({ url, ...(Object.keys(headers).length > 0 && { headers }) });
    const init = { method: 'POST', body, headers: { ...json, accept: 'text/event-stream' }, signal: abort.signal };
    const response = await fetch(path, init).catch(() => undefined);
    if (response === undefined) return options.onProblem({});
    if (!response.ok || response.body === null) return options.onProblem(await problemOf(response));
    let isOver = false;
    for await (const { name, data } of readEvents(response.body)) {
      const known = EVENTS.find((event) => event === name);
      if (known !== undefined) isOver = tell(known, data, options) || isOver;
    }
    if (!isOver) options.onProblem(null);
  };
  read().catch(() => {
    if (!abort.signal.aborted) options.onProblem(null);
  });
  return () => abort.abort();
}

const EVENTS = ['queued', 'layer', 'end', 'problem'] as const;

/** Whether the check is over. */
function tell(name: (typeof EVENTS)[number], data: string, listener: CheckListener): boolean {
  const value = JSON.parse(data);
  if (name === 'queued') listener.onQueued(value.position);
  else if (name === 'layer') listener.onLayer(value.name, value.layer);
  else if (name === 'end') listener.onEnd(value);
  else listener.onProblem(value);
  return name === 'end' || name === 'problem';
}

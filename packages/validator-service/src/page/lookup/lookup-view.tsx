import { useSignal } from '@preact/signals';
import type { LookupResult } from '@schemakit/validator';
import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';
import { ask, problemText } from '../api.ts';
import { usePage } from '../page-context.ts';
import { ProblemBox } from '../parts/problem-box.tsx';
import { AgentCard } from './agent-card.tsx';
import { chains } from './chains.ts';

const OTHER = 'other';

/** Looks up an agent by its chain and number. */
export function LookupView(): VNode {
  const { texts } = usePage();
  const chain = useSignal(String(chains[0]?.[0]));
  const isBusy = useSignal(false);
  const problem = useSignal('');
  const result = useSignal<LookupResult | undefined>(undefined);
  const form = useRef<HTMLFormElement>(null);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (form.current === null) return;
    const given = new FormData(form.current);
    const chainId = Number(chain.value === OTHER ? given.get('chainId') : chain.value);
    const node = String(given.get('node') ?? '').trim();
    const rpcNodes = node === '' ? {} : { rpcNodes: { [chainId]: node } };
    isBusy.value = true;
    problem.value = '';
    const body = { agentId: Number(given.get('agentId')), chainId, ...rpcNodes };
    const answer = await ask<LookupResult>('/api/lookup', { body });
    isBusy.value = false;
    if ('problem' in answer) problem.value = problemText(answer.problem, texts);
    result.value = 'value' in answer ? answer.value : undefined;
  };
  const found = result.value;
  const said =
    found === undefined
      ? ''
      : found.isRegistered
        ? texts.lookups.found(found.name ?? `#${found.agentId}`)
        : texts.lookups.notFound;
  return (
    <section class="view">
      <h1>{texts.lookups.heading}</h1>
      <p class="lead">{texts.lookups.lead}</p>
      <form ref={form} class="card lookup-form" onSubmit={submit}>
        <div>
          <label for="chain">{texts.lookups.chain}</label>
          <select id="chain" value={chain.value} onChange={({ currentTarget }) => (chain.value = currentTarget.value)}>
            {chains.map(([id, name]) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
            <option value={OTHER}>{texts.lookups.otherChain}</option>
          </select>
        </div>
        {chain.value === OTHER && (
          <div>
            <label for="chainId">{texts.lookups.chainId}</label>
            <input id="chainId" name="chainId" type="number" min="1" step="1" required />
          </div>
        )}
        <div>
          <label for="agentId">{texts.lookups.agentId}</label>
          <input id="agentId" name="agentId" type="number" min="0" step="1" required placeholder="22" />
        </div>
        <div class="wide">
          <label for="node">{texts.lookups.node}</label>
          <input
            id="node"
            name="node"
            type="url"
            autocomplete="off"
            aria-describedby="node-hint"
            placeholder="https://"
          />
          <p id="node-hint" class="muted">
            {texts.lookups.nodeHint}
          </p>
        </div>
        <button type="submit" class="primary" disabled={isBusy.value}>
          {texts.lookups.button}
        </button>
        <p class="progress" role="status" aria-live="polite">
          {isBusy.value ? texts.lookups.busy : said}
        </p>
      </form>
      {problem.value !== '' && <ProblemBox text={problem.value} />}
      {found !== undefined && !isBusy.value && <AgentCard agent={found} />}
    </section>
  );
}

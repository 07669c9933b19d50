import type { LookupResult } from '@schemakit/validator';
import type { VNode } from 'preact';
import { usePage } from '../page-context.ts';
import { Shape } from '../parts/shapes.tsx';
import { FindingItem } from '../report/finding-item.tsx';
import { RawJson } from '../report/raw-json.tsx';
import { worstFirst } from '../report/shown-report.ts';
import { chainName } from './chains.ts';
import { ReputationPicture } from './reputation.tsx';

/** What the chain, the registration and others say about an agent. */
export function AgentCard({ agent }: { agent: LookupResult }): VNode {
  const { texts } = usePage();
  const { lookups } = texts;
  const { agentId, chainId, isRegistered, name, description, findings, classification } = agent;
  const said = (value: boolean | null | undefined): string =>
    value === true ? lookups.yes : value === false ? lookups.no : lookups.unknown;
  const facts: readonly (readonly [string, string | null | undefined])[] = [
    [lookups.owner, agent.owner],
    [lookups.wallet, agent.agentWallet],
    [lookups.registry, agent.agentRegistry],
    [lookups.block, agent.blockNumber === null ? null : String(agent.blockNumber)],
    [lookups.active, said(classification?.isActive)],
    ['x402', said(classification?.isX402)],
    [lookups.trust, agent.supportedTrust.join(', ') || lookups.unknown],
  ];
  return (
    <article class="card agent">
      <header>
        <h2 dir="auto">{name ?? (isRegistered ? `#${agentId}` : lookups.notFound)}</h2>
        {agentId !== null && chainId !== null && (
          <p class="about">{lookups.agentNumber(String(agentId), chainName(chainId))}</p>
        )}
        <p class={`state is-${isRegistered ? 'passed' : 'not-detected'}`}>
          <Shape of={isRegistered ? 'passed' : 'not-detected'} />
          {isRegistered ? lookups.registered : lookups.unregistered}
        </p>
      </header>
      {description !== null && (
        <p class="description" dir="auto">
          {description}
        </p>
      )}
      {isRegistered === true && (
        <>
          <dl class="facts is-wide">
            {facts.map(([label, value]) =>
              value === null || value === undefined ? null : (
                <div key={label}>
                  <dt>{label}</dt>
                  <dd dir="auto">{value}</dd>
                </div>
              ),
            )}
          </dl>
          <Services agent={agent} />
          <ReputationPicture agent={agent} />
        </>
      )}
      {findings.length > 0 && (
        <>
          <h3>{lookups.findings}</h3>
          <ul class="findings">
            {worstFirst(findings).map((finding) => (
              <FindingItem key={finding.id} same={[finding]} report={undefined} />
            ))}
          </ul>
        </>
      )}
      <footer>
        <RawJson value={agent} />
      </footer>
    </article>
  );
}

function Services({ agent: { endpoints, domainVerification } }: { agent: LookupResult }): VNode {
  const { texts, check } = usePage();
  const services = endpoints?.all ?? [];
  return (
    <>
      {services.length > 0 && (
        <>
          <h3>{texts.lookups.services}</h3>
          <ul class="services">
            {services.map(({ name, endpoint }, index) => (
              <li key={index}>
                <strong dir="auto">{name}</strong>
                <code dir="auto">{endpoint}</code>
                {/^https?:\/\//i.test(endpoint) && (
                  <button
                    type="button"
                    class="quiet"
                    aria-label={`${texts.lookups.checkService}: ${endpoint}`}
                    onClick={() => check(endpoint)}
                  >
                    {texts.lookups.checkService}
                  </button>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
      {domainVerification.length > 0 && (
        <>
          <h3>{texts.lookups.domains}</h3>
          <ul class="services">
            {domainVerification.map(({ origin, state }) => (
              <li key={origin}>
                <Shape of={state === 'verified' || state === 'same-origin' ? 'passed' : 'not-evaluated'} />
                <code dir="auto">{origin}</code>
                <span>{texts.lookups.domainStates[state]}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

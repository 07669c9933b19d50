import type { LookupResult } from '@schemakit/validator';
import type { VNode } from 'preact';
import { usePage } from '../page-context.ts';
import { shownNumber } from '../report/numbers.ts';

const MAX_TAGS = 8;
const HEIGHT = 60;
/** Fewer marks leave space: one must not fill the picture. */
const MIN_MARKS = 20;

/** What others say about an agent: the average by subject as bars, and each feedback as a mark in order. */
export function ReputationPicture({ agent: { reputation, validations } }: { agent: LookupResult }): VNode {
  const { texts, language } = usePage();
  const { lookups } = texts;
  const number = (value: number): string => shownNumber(value, language);
  if (reputation === null)
    return (
      <>
        <h3>{lookups.reputation}</h3>
        <p class="muted">{lookups.noReputation}</p>
      </>
    );
  const { feedback, byTag, feedbackCount, clients, averageDecimal, revokedCount } = reputation;
  const tags = byTag.slice(0, MAX_TAGS);
  const values = [...feedback.map(({ decimal }) => decimal), ...tags.map((tag) => tag.averageDecimal), averageDecimal];
  const [low, high] = [Math.min(0, ...values), Math.max(1, ...values)];
  const share = (value: number): number => (value - low) / (high - low);
  const step = 100 / Math.max(MIN_MARKS, feedback.length);
  return (
    <>
      <h3>{lookups.reputation}</h3>
      <p>
        <strong class="big">{number(averageDecimal)}</strong> {lookups.average}
        <span class="muted">
          {' · '}
          {lookups.reputationText(feedbackCount, clients)}
          {revokedCount !== null && revokedCount > 0 && `, ${lookups.revoked(revokedCount)}`}
          {validations !== null &&
            validations.count > 0 &&
            ` · ${lookups.validations(validations.count, number(validations.averageResponse))}`}
        </span>
      </p>
      <div class="pictures">
        <figure>
          <figcaption>{lookups.overTime}</figcaption>
          <svg class="feedback" viewBox={`0 0 100 ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
            {feedback.map(({ decimal, isRevoked }, index) => {
              const height = Math.max(1, share(decimal) * HEIGHT);
              return (
                <rect
                  key={index}
                  class={isRevoked ? 'mark is-revoked' : 'mark'}
                  x={index * step + step * 0.1}
                  y={HEIGHT - height}
                  width={step * 0.8}
                  height={height}
                />
              );
            })}
          </svg>
          <p class="unseen">{feedback.map(({ decimal }) => number(decimal)).join(', ')}</p>
        </figure>
        {tags.length > 0 && (
          <figure>
            <figcaption>{lookups.byTag}</figcaption>
            <ul class="tags-chart">
              {tags.map(({ tag, count, averageDecimal: average }) => (
                <li key={tag}>
                  <span dir="auto">{tag}</span>
                  <svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
                    <rect class="bar-all" width="100" height="6" />
                    <rect class="bar-part is-1" width={share(average) * 100} height="6" />
                  </svg>
                  <span>
                    {number(average)} <span class="muted">({count})</span>
                  </span>
                </li>
              ))}
            </ul>
          </figure>
        )}
      </div>
    </>
  );
}

import type { VNode } from 'preact';
import { usePage } from '../page-context.ts';
import type { Texts } from '../texts/texts.ts';
import { at, isKey, numberAt, textAt, textsAt } from './entries.ts';
import { shownDay, shownNumber } from './numbers.ts';

/** The certificate on its line of time, and where the time to the first byte went. */
export function Connection({ entries, createdAt }: { entries: unknown; createdAt: string }): VNode {
  return (
    <div class="pictures">
      <Certificate certificate={at(entries, 'certificate')} now={Date.parse(createdAt)} />
      <Timing timing={at(entries, 'timing')} />
    </div>
  );
}

function Certificate({ certificate, now }: { certificate: unknown; now: number }): VNode | null {
  const { texts, language } = usePage();
  const [from, to] = [textAt(certificate, 'validFrom'), textAt(certificate, 'validTo')];
  if (from === undefined || to === undefined) return null;
  const [begin, end] = [Date.parse(from), Date.parse(to)];
  const spent = Math.min(1, Math.max(0, (now - begin) / (end - begin)));
  const faults = textsAt(certificate, 'faults').map((fault) => faultText(fault, texts));
  const isGood = faults.length === 0;
  return (
    <figure>
      <figcaption>
        {texts.pictures.certificate}
        {!isGood && <strong class="is-failed">: {faults.join(', ')}</strong>}
      </figcaption>
      <svg class={isGood ? 'bar' : 'bar is-bad'} viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
        <rect class="bar-all" width="100" height="6" />
        <rect class="bar-part is-1" width={Math.max(0.8, spent * 100)} height="6" />
      </svg>
      <p class="muted">
        {texts.pictures.from} <time dateTime={from}>{shownDay(from, language)}</time> {texts.pictures.until}{' '}
        <time dateTime={to}>{shownDay(to, language)}</time>. {texts.pictures.spent(Math.round(spent * 100))}.
      </p>
      <p class="muted" dir="auto">
        {texts.pictures.issuedBy} {textAt(certificate, 'issuer') ?? '?'}
      </p>
    </figure>
  );
}

function faultText(fault: string, { pictures: { faults } }: Texts): string {
  return isKey(fault, faults) ? faults[fault] : fault;
}

function Timing({ timing }: { timing: unknown }): VNode | null {
  const { texts, language } = usePage();
  const parts = (['dns', 'connect', 'tls', 'firstByte'] as const).flatMap((name) => {
    const ms = numberAt(timing, `${name}Ms`);
    return ms === undefined ? [] : [{ name, ms }];
  });
  const sum = parts.reduce((total, { ms }) => total + ms, 0);
  if (sum <= 0) return null;
  let x = 0;
  return (
    <figure>
      <figcaption>
        {texts.pictures.timing}: {texts.pictures.ms(shownNumber(sum, language))}
      </figcaption>
      <svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
        {parts.map(({ name, ms }, index) => {
          const width = (ms / sum) * 100;
          x += width;
          return <rect key={name} class={`bar-part is-${index + 1}`} x={x - width} width={width} height="6" />;
        })}
      </svg>
      <ul class="legend">
        {parts.map(({ name, ms }, index) => (
          <li key={name}>
            <svg viewBox="0 0 10 10" width="10" height="10" aria-hidden="true">
              <rect class={`bar-part is-${index + 1}`} width="10" height="10" rx="3" />
            </svg>
            {texts.pictures[name]} {texts.pictures.ms(shownNumber(ms, language))}
          </li>
        ))}
      </ul>
    </figure>
  );
}

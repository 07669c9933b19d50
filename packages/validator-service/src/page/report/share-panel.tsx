import type { VNode } from 'preact';
import { usePage } from '../page-context.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { DeleteReport } from './delete-report.tsx';
import { shellQuoted } from './fix-text.ts';
import type { ShownReport } from './shown-report.ts';

/** Link, badge, downloads, and the end of a report. */
export function SharePanel({ report }: { report: ShownReport }): VNode {
  const { texts, publicUrl } = usePage();
  const { id, url, assessment } = report;
  const host = URL.parse(url)?.host;
  const link = `${publicUrl}/reports/${id}`;
  const badge = `${publicUrl}/badge/${host}.svg`;
  const body = JSON.stringify({ url });
  const shell = `curl -s ${shellQuoted(`${publicUrl}/api/assess`)} -H 'content-type: application/json' -d ${shellQuoted(body)}`;
  return (
    <section class="card share">
      <h2>{texts.share.heading}</h2>
      {id === null ? (
        <p class="problem">{texts.share.notKept}</p>
      ) : (
        <>
          <Snippet label={texts.share.link} hint={texts.share.linkHint} text={link} />
          <Snippet label={texts.share.badge} hint={texts.share.badgeHint} text={`[![SchemaKit](${badge})](${link})`} />
        </>
      )}
      <Snippet label={texts.share.shell} text={shell} />
      <p class="row downloads">
        <span>{texts.share.download}:</span>
        {id === null ? (
          <button type="button" class="quiet" onClick={() => save(assessment, `${host ?? 'report'}.json`)}>
            JSON
          </button>
        ) : (
          <>
            <a class="button quiet" href={`/api/reports/${id}`} download={`${host}.json`}>
              JSON
            </a>
            <a class="button quiet" href={`/api/reports/${id}/sarif`} download={`${host}.sarif`}>
              SARIF
            </a>
          </>
        )}
        <button type="button" class="quiet needs-script" onClick={() => window.print()}>
          {texts.share.print}
        </button>
        {id !== null && <DeleteReport id={id} />}
      </p>
    </section>
  );
}

function Snippet({ label, hint, text }: { label: string; hint?: string; text: string }): VNode {
  const { texts } = usePage();
  return (
    <div class="snippet">
      <p>
        <strong>{label}</strong> {hint !== undefined && <span class="muted">{hint}</span>}
      </p>
      <div class="row">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolls, so the keyboard must reach it */}
        <pre tabIndex={0} dir="ltr">
          {text}
        </pre>
        <CopyButton label={texts.share.copy} text={() => text} />
      </div>
    </div>
  );
}

function save(value: unknown, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([JSON.stringify(value, null, 2)], { type: 'application/json' }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

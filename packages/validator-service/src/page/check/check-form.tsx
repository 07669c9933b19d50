import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { usePage } from '../page-context.ts';
import { ownHeadersOf } from './own-headers.ts';

/** The field. Without script it is a plain form, which the service answers with the report. */
export function CheckForm({ url = '', problem }: { url?: string | undefined; problem?: string | undefined }): VNode {
  const { texts, examples, linkTo, check, ownHeaders } = usePage();
  const error = useSignal(problem ?? '');
  const given = Object.entries(ownHeaders()).map(([name, value]) => `${name}: ${value}`);
  const field = useRef<HTMLInputElement>(null);
  const headers = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    // The browser does it with the first page; whoever went on since keeps their place.
    if (document.activeElement === document.body) field.current?.focus();
  }, []);
  const submit = (event: Event, address: string): void => {
    event.preventDefault();
    const { headers: own, bad } = ownHeadersOf(headers.current?.value ?? '');
    if (bad === undefined) check(withProtocol(address), own);
    else error.value = texts.home.badHeader(bad);
  };
  return (
    <div class="check">
      <form method="post" action={linkTo('/check')} onSubmit={(event) => submit(event, field.current?.value ?? '')}>
        <label for="url">{texts.home.address}</label>
        <div class="field">
          <input
            ref={field}
            id="url"
            name="url"
            type="text"
            inputMode="url"
            autocomplete="url"
            autocapitalize="none"
            spellcheck={false}
            placeholder={texts.home.placeholder}
            defaultValue={url}
            required
            autofocus
            aria-invalid={error.value !== ''}
            aria-describedby="url-problem"
          />
          <button type="submit" class="primary">
            {texts.home.button}
          </button>
        </div>
        <p id="url-problem" class="field-problem" role="alert">
          {error.value}
        </p>
        <details class="own-headers needs-script" open={given.length > 0}>
          <summary>{texts.home.headers}</summary>
          <label for="headers">{texts.home.headersHint}</label>
          <textarea
            ref={headers}
            id="headers"
            rows={3}
            defaultValue={given.join('\n')}
            autocomplete="off"
            spellcheck={false}
            placeholder="Authorization: Bearer …"
          />
        </details>
      </form>
      {examples.length > 0 && (
        <form method="post" action={linkTo('/check')} class="examples">
          <span class="muted">{texts.home.examples}</span>
          {examples.map((example) => (
            <button
              key={example}
              class="chip"
              name="url"
              value={example}
              type="submit"
              onClick={(event) => submit(event, example)}
            >
              {example.replace(/^https?:\/\//, '')}
            </button>
          ))}
        </form>
      )}
    </div>
  );
}

/** People paste addresses without it. */
function withProtocol(address: string): string {
  const text = address.trim();
  return /^[a-z][\w+.-]*:\/\//i.test(text) ? text : `https://${text}`;
}

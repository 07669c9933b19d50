import type { VNode } from 'preact';
import { usePage } from '../page-context.ts';
import { GradeMark } from '../report/grade-mark.tsx';
import { shownTime } from '../report/numbers.ts';
import type { OwnCheck } from './history.ts';

/** Checks with links to their reports. */
export function CheckList({
  checks,
  onForget,
}: {
  checks: readonly OwnCheck[];
  onForget?: (id: string) => void;
}): VNode {
  const { texts, language, linkTo } = usePage();
  return (
    <ul class="checks">
      {checks.map(({ id, url, letter, createdAt }, index) => {
        const earlier = checks.slice(index + 1).find((check) => check.url === url);
        return (
          <li key={id}>
            <a href={linkTo(`/reports/${id}`)}>
              <GradeMark letter={letter} small />
              <span class="unseen">{texts.grade.label(letter)}</span>
              <span>
                <span class="address" dir="ltr">
                  {url}
                </span>
                <time class="muted" dateTime={createdAt}>
                  {shownTime(createdAt, language)}
                </time>
              </span>
            </a>
            {onForget !== undefined && (
              <span class="row">
                {earlier !== undefined && (
                  <a class="button quiet" href={linkTo(`/#compare=${earlier.id}..${id}`)}>
                    {texts.histories.compareLast}
                  </a>
                )}
                <button
                  type="button"
                  class="quiet"
                  aria-label={`${texts.histories.remove}: ${url}`}
                  onClick={() => onForget(id)}
                >
                  ✕
                </button>
              </span>
            )}
          </li>
        );
      })}
    </ul>
  );
}

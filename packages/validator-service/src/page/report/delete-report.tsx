import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import { ask, problemText } from '../api.ts';
import { checkOf, forgetCheck } from '../history/history.ts';
import { usePage } from '../page-context.ts';

/** Deletes a report, for the browser that made it: only its history has the token. Asks once more before. */
export function DeleteReport({ id }: { id: string }): VNode | null {
  const { texts } = usePage();
  const token = useSignal<string | undefined>(undefined);
  const step = useSignal<'idle' | 'sure' | 'deleted'>('idle');
  const problem = useSignal('');
  useEffect(() => {
    token.value = checkOf(id)?.deleteToken;
  }, [id]);
  const remove = async (): Promise<void> => {
    const headers = { 'x-delete-token': token.value ?? '' };
    const answer = await ask(`/api/reports/${id}`, { method: 'DELETE', headers });
    if ('problem' in answer) problem.value = problemText(answer.problem, texts);
    else {
      forgetCheck(id);
      step.value = 'deleted';
    }
  };
  if (token.value === undefined) return null;
  if (step.value === 'deleted') return <strong role="status">{texts.share.deleted}</strong>;
  return (
    <span class="row">
      {step.value === 'idle' ? (
        <button type="button" class="quiet is-danger" onClick={() => (step.value = 'sure')}>
          {texts.share.delete}
        </button>
      ) : (
        <>
          <span>{texts.share.deleteSure}</span>
          <button type="button" class="is-danger" onClick={remove}>
            {texts.share.deleteYes}
          </button>
          <button type="button" class="quiet" onClick={() => (step.value = 'idle')}>
            {texts.share.deleteNo}
          </button>
        </>
      )}
      <span role="alert">{problem.value}</span>
    </span>
  );
}

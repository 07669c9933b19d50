import type { VNode } from 'preact';
import { type OwnCheck, ownChecks } from '../history/history.ts';
import { usePage } from '../page-context.ts';
import { shownTime } from '../report/numbers.ts';

/** What a person chose: a link, an id, or a file. */
export interface Choice {
  text: string;
  file: File | undefined;
}

interface ReportChoiceProps {
  name: 'before' | 'after';
  choice: Choice;
  onChoose: (choice: Choice) => void;
}

/** Chooses a report: by its link, from the own checks, or as a file. */
export function ReportChoice({ name, choice, onChoose }: ReportChoiceProps): VNode {
  const { texts, language } = usePage();
  const checks = ownChecks();
  const label = ({ url, letter, createdAt }: OwnCheck): string =>
    `${letter} · ${url} · ${shownTime(createdAt, language)}`;
  return (
    <fieldset>
      <legend>{texts.comparing[name]}</legend>
      <label for={`${name}-text`}>{texts.comparing.report}</label>
      <input
        id={`${name}-text`}
        type="text"
        autocomplete="off"
        spellcheck={false}
        value={choice.text}
        onInput={({ currentTarget }) => onChoose({ text: currentTarget.value, file: undefined })}
      />
      {checks.length > 0 && (
        <>
          <label for={`${name}-own`}>{texts.comparing.ownReports}</label>
          <select
            id={`${name}-own`}
            value={checks.some(({ id }) => id === choice.text) ? choice.text : ''}
            onChange={({ currentTarget }) => onChoose({ text: currentTarget.value, file: undefined })}
          >
            <option value="">{texts.comparing.choose}</option>
            {checks.map((check) => (
              <option key={check.id} value={check.id}>
                {label(check)}
              </option>
            ))}
          </select>
        </>
      )}
      <label for={`${name}-file`}>{texts.comparing.file}</label>
      <input
        id={`${name}-file`}
        type="file"
        accept=".json,application/json"
        onChange={({ currentTarget }) => onChoose({ text: '', file: currentTarget.files?.[0] })}
      />
    </fieldset>
  );
}

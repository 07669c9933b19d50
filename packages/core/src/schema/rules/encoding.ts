import { valuesOf } from '../format/fields.generated.ts';
import type { Place } from '../rule-report.ts';
import type { Placement, Tool } from '../schema.ts';

const encodings = valuesOf['Tool.encoding'];

const wordHint = "Write encoding: 'form', and a media type of your own as Content-Type in headers of the tool.";

/** Parses `encoding` of a tool, and reports what it cannot do with the body parameters. */
export function parseEncoding(
  value: unknown,
  { path, placements, report }: Place & { placements: readonly Placement[] },
): Tool['encoding'] {
  const place = `${path}.encoding`;
  const encoding = encodings.find((one) => one === value);
  const fields = placements.filter(({ location }) => location === 'body');
  if (value !== undefined && encoding === undefined) {
    report('VAL082', place, `encoding must be ${encodings.join(', ')}; ignored (${path})`, wordHint);
  }
  if ((encoding === 'text' || encoding === 'binary') && fields.length !== 1) {
    const message = `encoding ${encoding} needs exactly one body parameter, and the tool has ${fields.length}; ignored (${path})`;
    return report('VAL082', place, message, 'Use multipart or json for several values.');
  }
  if (fields.some(({ whole }) => whole) && (fields.length > 1 || (encoding ?? 'json') !== 'json')) {
    const hint = 'Leave out position.whole, or the other body parameters.';
    report(
      'VAL082',
      `${path}.parameters`,
      `position.whole is for the only body parameter of a JSON body (${path})`,
      hint,
    );
  }
  const styled = fields.find(({ style }) => style !== undefined);
  if (styled !== undefined && encoding !== 'form') {
    const message = `position.style of ${styled.key} is used only with encoding form (${path})`;
    report('VAL080', place, message, "Write encoding: 'form', or remove the style.");
  }
  const file = placements.find(({ isFile, location }) => isFile && location !== 'body');
  const isSent = file === undefined && (encoding === 'multipart' || encoding === 'binary');
  const asText = file ?? (isSent ? undefined : fields.find(({ isFile }) => isFile));
  if (asText !== undefined) {
    const hint = "Write encoding: 'multipart' or 'binary' to send the file itself.";
    report('VAL082', place, `the file ${asText.key} is sent as the text that the caller gives (${path})`, hint);
  }
  return encoding;
}

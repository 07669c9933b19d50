import { valuesOf } from '../format/fields.generated.ts';
import type { Place } from '../rule-report.ts';
import type { Placement, Tool } from '../schema.ts';
import { partsOf, type ZExpression } from '../z/z-expression.ts';
import type { Parameters } from './parameters.ts';

const encodings = valuesOf['Tool.encoding'];

const wordHint = "Write encoding: 'form', and a media type of your own as Content-Type in headers of the tool.";

/** Parses `encoding` of a tool, and reports what it cannot do with the body parameters. */
export function parseEncoding(
  value: unknown,
  { path, method, parameters, report }: Place & { method: string; parameters: Parameters },
): Tool['encoding'] {
  const { placements } = parameters;
  const place = `${path}.encoding`;
  const encoding = encodings.find((one) => one === value);
  const fields = placements.filter(({ location }) => location === 'body');
  if (value !== undefined && encoding === undefined) {
    report('VAL082', place, `encoding must be ${encodings.join(', ')}; ignored (${path})`, wordHint);
  }
  if (encoding !== undefined && fields.length === 0 && (method === 'GET' || method === 'HEAD')) {
    const hint = 'Remove encoding, or use a method with a body, such as POST.';
    report('VAL082', place, `encoding ${encoding} is ignored: a ${method} request has no body (${path})`, hint);
    reportFiles(undefined, fields, { path, parameters, report });
    return undefined;
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
  reportFiles(encoding, fields, { path, parameters, report });
  return encoding;
}

/** Reports files whose bytes would not be sent as such, and a value that is sent as bytes and is no file. */
function reportFiles(
  encoding: Tool['encoding'],
  fields: readonly Placement[],
  { path, parameters, report }: Place & { parameters: Parameters },
): void {
  const say = (message: string, hint: string, code: 'VAL082' | 'VAL085' = 'VAL082') =>
    report(code, `${path}.encoding`, `${message} (${path})`, hint);
  const file = parameters.placements.find(({ isFile, location }) => isFile && location !== 'body');
  if (file !== undefined) {
    const hint = "Write location: 'body', and encoding: 'multipart' or 'binary', to send the file itself.";
    say(`the file ${file.key} is sent as the text that the caller gives`, hint);
  }
  const sendsBytes = encoding === 'multipart' || encoding === 'binary';
  const asText = sendsBytes ? undefined : fields.find(({ isFile }) => isFile);
  if (asText !== undefined) {
    const hint = "Write encoding: 'multipart' or 'binary' to send the file itself.";
    say(`the file ${asText.key} is sent as the text that the caller gives`, hint);
  }
  if (!sendsBytes) return;
  const inner = fields.find((field) => shapesOf(field, parameters).some(hidesFile));
  if (inner !== undefined) {
    const hint = 'Give the file a body parameter of its own, with the primitive file(), or array(file()) for several.';
    say(`a file inside ${inner.key} would be sent as base64 text`, hint, 'VAL085');
  } else if (encoding === 'binary' && fields.some(({ isFile }) => !isFile)) {
    const hint = "Write the primitive file(), or encoding: 'text' to send text.";
    say(`encoding binary sends the bytes of a file, and ${fields[0]?.key} is none`, hint);
  }
}

function shapesOf({ value }: Placement, { inputs }: Parameters): ZExpression[] {
  const names = value.flatMap((part) => (part.kind === 'input' ? part.name : []));
  return inputs.filter(({ name }) => names.includes(name)).map(({ z }) => z);
}

/** Whether a file is deeper in a value than a body has parts: it can be the value itself, or an item of it. */
function hidesFile(z: ZExpression): boolean {
  return (z.items ? partsOf(z.items) : partsOf(z)).some(hasFile);
}

function hasFile(z: ZExpression): boolean {
  return z.primitive === 'file' || partsOf(z).some(hasFile);
}

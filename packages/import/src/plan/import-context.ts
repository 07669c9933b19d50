import { isObject } from '@schemakit/core/internal';
import type { ImportCode, Omission } from '../import-codes.ts';
import type { UnreadDocument } from '../read/bundle-references.ts';
import { valueAt } from '../read/json-pointer.ts';
import type { JsonObject } from '../read/read-document.ts';

/** A value of the document, and where it is. */
export interface Located<Value = unknown> {
  value: Value;
  pointer: string;
}

/** Ends the planning of an operation that would be wrong. */
export class LeftOut extends Error {
  readonly omission: Omission;

  constructor(omission: Omission) {
    super(omission.message);
    this.omission = omission;
  }
}

/** What the planning of an operation needs: the document, and where to say what is left out. */
export interface ImportContext {
  document: JsonObject;
  /** Follows references. `refs` are the pointers that led there. */
  resolve(located: Located): Located & { refs: readonly string[] };
  /** Notes what the written tool does not have. */
  omit(code: ImportCode, pointer: string, message: string, hint: string): void;
  /** Keeps the description of an inner part, of which the written tool has only the beginning. */
  keepText(pointer: string, text: string): void;
  /** Leaves the whole operation out. */
  leaveOut(code: ImportCode, pointer: string, message: string, hint: string): never;
}

const maxReferences = 50;

interface ContextOptions {
  onOmission(omission: Omission): void;
  /** Where the texts of `keepText` go, by their pointers. */
  texts?: Map<string, string>;
  /** Why other documents are not there, by their addresses. */
  unread?: Readonly<Record<string, UnreadDocument>> | undefined;
}

export function createImportContext(
  document: JsonObject,
  { onOmission, texts = new Map(), unread = {} }: ContextOptions,
): ImportContext {
  const context: ImportContext = {
    document,
    omit: (code, pointer, message, hint) => onOmission({ code, pointer, message, hint }),
    keepText: (pointer, text) => void texts.set(pointer, text),
    leaveOut(code, pointer, message, hint) {
      throw new LeftOut({ code, pointer, message, hint });
    },
    resolve({ value, pointer }) {
      const refs: string[] = [];
      let found: Located = { value, pointer };
      while (isObject(found.value) && typeof found.value.$ref === 'string') {
        const { $ref, ...siblings } = found.value;
        const target = targetOf($ref, found.pointer);
        refs.push(target.pointer);
        if (refs.length > maxReferences) {
          context.leaveOut('IMP014', pointer, 'the references lead to each other', 'Correct them in the document.');
        }
        // A Reference Object may have texts of its own (OpenAPI 3.1, "Reference Object"), a schema any keyword.
        const isPlain = Object.keys(siblings).length === 0 || !isObject(target.value);
        found = isPlain ? target : { ...target, value: { ...(target.value as JsonObject), ...siblings } };
      }
      return { ...found, refs };
    },
  };

  function targetOf(ref: string, from: string): Located {
    if (!ref.startsWith('#')) {
      const [address = ''] = ref.split('#', 1);
      const known = Object.hasOwn(unread, address) ? unread[address] : undefined;
      if (known !== undefined) return context.leaveOut('IMP014', from, known.message, known.hint);
      const hint = 'Bundle the document into one file first, for example with `npx @redocly/cli bundle`.';
      return context.leaveOut('IMP014', from, `the reference ${JSON.stringify(ref)} leads to another document`, hint);
    }
    const pointer = decoded(ref.slice(1));
    const value = pointer === '' || pointer.startsWith('/') ? valueAt(document, pointer) : undefined;
    if (value === undefined) {
      const message = `the reference ${JSON.stringify(ref)} leads to nothing`;
      return context.leaveOut('IMP014', from, message, 'Correct the reference in the document.');
    }
    return { value, pointer };
  }

  return context;
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

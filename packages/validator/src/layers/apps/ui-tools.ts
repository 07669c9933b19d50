import { partEvidence } from '../../findings/evidence.ts';
import { type Finding, finding } from '../../findings/finding.ts';
import { field, isPlainObject, type PlainObject, texts } from '../../findings/plain-object.ts';
import { exactText, nameList } from '../../findings/plain-text.ts';

/** A tool whose result an app shows, or that an app may call. */
export interface UiTool {
  name: string;
  /** Null for a tool that apps may call, but that shows none. */
  resourceUri: string | null;
  visibility: string[];
  tool: PlainObject;
}

const LEGACY_KEY = 'ui/resourceUri';
const WORDS: ReadonlySet<string> = new Set(['model', 'app']);

export function uiTools(tools: readonly PlainObject[]): UiTool[] {
  return tools.flatMap((tool) => {
    const meta = field(tool, '_meta');
    const ui = field(meta, 'ui');
    const uri = field(ui, 'resourceUri') ?? field(meta, LEGACY_KEY);
    const resourceUri = typeof uri === 'string' ? uri : null;
    if (!isPlainObject(ui) && resourceUri === null) return [];
    return [{ name: String(field(tool, 'name')), resourceUri, visibility: texts(field(ui, 'visibility')), tool }];
  });
}

export function toolFindings(tools: readonly UiTool[]): Finding[] {
  return tools.flatMap(({ name, resourceUri, visibility, tool }) => {
    const meta = field(tool, '_meta');
    const ui = field(meta, 'ui');
    const given = field(ui, 'visibility');
    const shown = exactText(name, 80);
    const say = (code: Finding['code'], text: string): Finding =>
      finding(code, `tools.${shown}`, text, {
        evidence: partEvidence(`The definition of ${shown}`, { name, _meta: meta }),
      });
    const isList = Array.isArray(given) && given.every((word) => typeof word === 'string' && WORDS.has(word));
    const misplaced = ['csp', 'permissions'].filter((key) => field(ui, key) !== undefined);
    const isUrl = resourceUri?.startsWith('ui://') ?? true;
    return [
      ...(given === undefined || isList ? [] : [say('UIV-061', '`visibility` must be an array of `model` and `app`')]),
      ...(resourceUri === null && !(isList && visibility.length > 0)
        ? [say('UIV-063', '`_meta.ui` has no `resourceUri`')]
        : []),
      ...(misplaced.length > 0 ? [say('UIV-064', `${nameList(misplaced)} in \`_meta.ui\` of a tool`)] : []),
      ...(resourceUri !== null && field(ui, 'resourceUri') === undefined
        ? [say('UIV-065', `Only \`${LEGACY_KEY}\` names the resource`)]
        : []),
      ...(isUrl ? [] : [say('UIV-060', `${nameList([resourceUri ?? ''])} is not a ui:// resource`)]),
    ];
  });
}

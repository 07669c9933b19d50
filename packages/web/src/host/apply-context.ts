import type { McpUiHostContext } from '@modelcontextprotocol/ext-apps';

/** Makes the page look as its host does: scheme, colors and sizes, language, and the room that the host leaves. */
export function applyContext({
  theme,
  styles,
  locale,
  displayMode,
  safeAreaInsets,
  ...context
}: McpUiHostContext): void {
  const { documentElement: root } = document;
  root.style.colorScheme = theme ?? 'light dark';
  root.dataset.mode = displayMode ?? 'inline';
  if (locale !== undefined) root.lang = locale;
  for (const [name, value] of Object.entries(styles?.variables ?? {})) {
    if (name.startsWith('--') && value !== undefined) root.style.setProperty(name, value);
  }
  for (const [side, pixels] of Object.entries(safeAreaInsets ?? {}))
    root.style.setProperty(`--inset-${side}`, `${pixels}px`);
  const { maxHeight, height } = { maxHeight: undefined, height: undefined, ...context.containerDimensions };
  const most = height ?? maxHeight;
  if (most === undefined) root.style.removeProperty('--most');
  else root.style.setProperty('--most', `${most}px`);
}

import { pathProblem } from './path-problem.ts';

/** Why a name cannot be that of a source, as words that follow it; undefined for one that can. */
export function nameProblem(name: string): string | undefined {
  if (!/^[a-z0-9][a-z0-9._-]{0,63}$/i.test(name)) {
    return 'is not made of up to 64 letters, digits, dots, hyphens and underscores, with a letter or digit first';
  }
  return pathProblem(name);
}

/** A name for a source from text that came with it; undefined where nothing of it can be used. */
export function nameFrom(text: string): string | undefined {
  const name = text
    .replace(/[^a-z0-9._-]+/gi, '-')
    .replace(/^[^a-z0-9]+/i, '')
    .slice(0, 64)
    .replace(/[^a-z0-9]+$/i, '');
  return nameProblem(name) === undefined ? name : undefined;
}

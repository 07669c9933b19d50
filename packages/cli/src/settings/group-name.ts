import { nameProblem } from '../sources/path-problem.ts';

/** Whether a text can be the name of a group. Names of groups are names of files, on every system. */
export function isGroupName(name: string): boolean {
  return nameProblem(name) === undefined;
}

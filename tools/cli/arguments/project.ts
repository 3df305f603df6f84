import { InvalidArgumentError } from 'commander';

/** Instead of the name of a project: that a key is of none. */
export const none = 'none';

/** The name of a project, of which a key may also be given no more. */
export function readProject(text: string): string {
  if (text.trim() === none) throw new InvalidArgumentError(`${none} means that a key is of no project.`);
  return text;
}

import type { z } from 'zod';
import { describeIssue } from './describe-issue';
import type { FieldPath } from './field-path';
import { firstProblems } from './first-problems';
import { TollgateFileError } from './tollgate-file-error';
import { YamlSource } from './yaml-source';

/** `name:line:column: field` of a value. */
type Locate = (path: FieldPath) => string;

/**
 * A YAML text as its schema has it; `name` is what messages call it. An empty text is an empty group.
 * @throws TollgateFileError naming line, column and field of everything that is wrong.
 */
export function readYaml<Schema extends z.ZodType>(
  name: string,
  text: string,
  schema: Schema,
): { value: z.output<Schema>; locate: Locate } {
  const source = new YamlSource(name, text);
  const result = schema.safeParse(source.value() ?? {});
  if (result.success) return { value: result.data, locate: (path) => source.locate(path) };
  const issues = result.error.issues.flatMap(oneByOne);
  throw new TollgateFileError(firstProblems(issues, (issue) => describeIssue(issue, schema, source)));
}

/** Names that should not be there are one issue for all of a group. */
function oneByOne(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  return issue.code === 'unrecognized_keys' ? issue.keys.map((key) => ({ ...issue, keys: [key] })) : [issue];
}

/** @throws TollgateFileError where two entries of a section have one id. */
export function refuseRepeatedIds(sections: Record<string, readonly { id: string }[]>, locate: Locate): void {
  const repeated = Object.entries(sections).flatMap(([section, entries]) => {
    const firstIndex = new Map<string, number>();
    return entries.flatMap(({ id }, index) => {
      const first = firstIndex.get(id);
      if (first !== undefined) return [{ section, id, index, first }];
      firstIndex.set(id, index);
      return [];
    });
  });
  const tell = ({ section, id, index, first }: (typeof repeated)[number]) =>
    `${locate([section, index, 'id'])}: ${id} stands in ${section}[${first}] too`;
  if (repeated.length) throw new TollgateFileError(firstProblems(repeated, tell));
}

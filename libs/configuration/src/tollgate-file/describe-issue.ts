import { z } from 'zod';
import type { FieldPath } from './field-path';
import { nearestName } from './nearest-name';
import type { YamlSource } from './yaml-source';

/** What one schema issue means for a person, with its place in the file. Of names, it has one at most. */
export function describeIssue(issue: z.core.$ZodIssue, schema: z.core.$ZodType, source: YamlSource): string {
  const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)));
  if (issue.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys;
    const meant = nearestName(key, Object.keys(fieldsAt(schema, path)));
    const where = source.locateName([...path, key]);
    return `${where}: is not a field of this section${meant ? `; did you mean ${meant}?` : knownFields(schema, path)}`;
  }
  if (issue.code === 'invalid_key') return `${source.locateName(path)}: ${issue.issues[0]?.message ?? issue.message}`;
  return `${source.locate(path)}: ${explain(issue)}`;
}

/** The fields that may be said here: those that stand elsewhere take nothing. */
function knownFields(schema: z.core.$ZodType, path: FieldPath): string {
  const fields = Object.entries(fieldsAt(schema, path));
  const names = fields.filter(([, field]) => !standsElsewhere(field)).map(([name]) => name);
  return names.length ? `. Known are: ${names.join(', ')}` : '';
}

function explain(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return explainType(issue);
    case 'invalid_value':
      return `must be one of: ${issue.values.map(String).join(', ')}`;
    case 'too_small':
      if (issue.origin === 'array') return `must have at least ${issue.minimum} in the list`;
      if (issue.origin === 'string') return 'must not be empty';
      return `must be ${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}`;
    case 'too_big':
      return issue.origin === 'array' ? `must have at most ${issue.maximum} in the list` : issue.message;
    default:
      return issue.message;
  }
}

/** The schema library tells the type that it found only inside its message. */
function explainType(issue: z.core.$ZodIssueInvalidType): string {
  const found = /received (\w+)/.exec(issue.message)?.[1];
  if (found === 'undefined') return 'is missing';
  return `must be ${inWords(issue.expected)}${found ? `, but is ${inWords(found)}` : ''}`;
}

const plainNames: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'a group of fields',
  record: 'a group of fields',
  array: 'a list',
  null: 'empty',
  NaN: 'not a number',
};

function inWords(type: string): string {
  return plainNames[type] ?? `a ${type}`;
}

/** The fields that the schema knows at a path; none where the path leads to no object. */
function fieldsAt(schema: z.core.$ZodType, path: FieldPath): z.core.$ZodShape {
  const here = unwrap(schema);
  const [step, ...rest] = path;
  if (step === undefined) return here instanceof z.ZodObject ? shapeOf(here) : {};
  const next = child(here, step);
  return next ? fieldsAt(next, rest) : {};
}

/** Whether a field is known only to say where it stands (see `elsewhere`). */
function standsElsewhere(field: z.core.$ZodType): boolean {
  return field instanceof z.ZodOptional && field.unwrap() instanceof z.ZodCustom;
}

function child(schema: z.core.$ZodType, step: string | number): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodObject) return shapeOf(schema)[step];
  if (schema instanceof z.ZodArray) return schema.element;
  if (schema instanceof z.ZodRecord) return schema.valueType;
  return undefined;
}

function shapeOf(schema: z.ZodObject): z.core.$ZodShape {
  return schema.shape;
}

/** The schema below optional, nullable, default and transforming layers. */
function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return unwrap(schema.unwrap());
  if (schema instanceof z.ZodPipe) return unwrap(schema.in instanceof z.ZodTransform ? schema.out : schema.in);
  return schema;
}

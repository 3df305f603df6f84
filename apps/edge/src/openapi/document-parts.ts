import type { OpenAPIObject } from '@nestjs/swagger';
import { z } from 'zod';
import { idempotencyHeader } from '../admin-api/done-once';

type Responses = NonNullable<OpenAPIObject['paths'][string]['get']>['responses'];

/** A reference to one of the document's schemas. */
export function reference(name: string): { $ref: string } {
  return { $ref: `#/components/schemas/${name}` };
}

/** The error answers with these statuses; `shape` names their schema. */
export function errors(statuses: readonly string[], shape: string): Responses {
  const error = { description: 'Error', content: { 'application/json': { schema: reference(shape) } } };
  return Object.fromEntries(statuses.map((status) => [status, error]));
}

/** A parameter that is a string; one of the path is required. */
export function parameter<Place extends 'header' | 'path'>(place: Place, name: string, description: string) {
  return { name, in: place, required: place === 'path', description, schema: { type: 'string' as const } };
}

/** Of writes that are done once under it. */
export const onceParameter = parameter(
  'header',
  idempotencyHeader,
  'Asked again with it within 24 hours: not done again',
);

type Schema = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>[string];

/**
 * A zod schema as OpenAPI 3.1 has it, which is JSON Schema. `io` output: with what defaults fill in, as
 * answers have it.
 */
export function toSchema(schema: z.ZodType, io: 'input' | 'output' = 'input'): Schema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  // Nest's types describe OpenAPI 3.0; OpenAPI 3.1 takes any JSON Schema.
  return json as Schema;
}

/** `schemas` names the forms that the answer may have. */
export function reading(
  summary: string,
  ...schemas: [string, ...string[]]
): NonNullable<OpenAPIObject['paths'][string]['get']> {
  const [only] = schemas;
  const schema = schemas.length === 1 ? reference(only) : { anyOf: schemas.map(reference) };
  return {
    summary,
    responses: {
      ...errors(['400', '401', '403', '404', '429', '500', '503'], 'Error'),
      '200': { description: 'OK', content: { 'application/json': { schema } } },
    },
  };
}

/** The members of a query, as parameters. */
export function queryParameters({ shape }: { shape: Readonly<Record<string, z.ZodType>> }) {
  return Object.entries(shape).map(([name, schema]) => ({
    name,
    in: 'query' as const,
    required: !schema.safeParse(undefined).success,
    description: schema.description ?? '',
    schema: toSchema(schema),
  }));
}

import type { OpenAPIObject } from '@nestjs/swagger';

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

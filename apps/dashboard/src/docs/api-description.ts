import { z } from 'zod/mini';

/** As far as it is shown of a JSON schema. */
const schema = z.looseObject({
  type: z.optional(z.union([z.string(), z.array(z.string())])),
  description: z.optional(z.string()),
  enum: z.optional(z.array(z.unknown())),
  $ref: z.optional(z.string()),
  properties: z.optional(z.record(z.string(), z.unknown())),
  required: z.optional(z.array(z.string())),
  items: z.optional(z.unknown()),
  anyOf: z.optional(z.array(z.unknown())),
});
type Schema = z.infer<typeof schema>;

const content = z.optional(z.record(z.string(), z.object({ schema: z.optional(z.unknown()) })));
const operation = z.object({
  summary: z.optional(z.string()),
  tags: z.optional(z.array(z.string())),
  parameters: z.optional(
    z.array(
      z.object({
        name: z.string(),
        in: z.string(),
        required: z.optional(z.boolean()),
        description: z.optional(z.string()),
        schema: z.optional(z.unknown()),
      }),
    ),
  ),
  requestBody: z.optional(z.object({ content })),
  responses: z.record(z.string(), z.object({ content })),
});

/** The OpenAPI document of the gateway, as far as it is shown. */
export const apiDocument = z.object({
  tags: z.optional(z.array(z.object({ name: z.string(), description: z.optional(z.string()) }))),
  components: z.object({ schemas: z.record(z.string(), z.unknown()) }),
  paths: z.record(z.string(), z.record(z.string(), operation)),
});
export type ApiDocument = z.infer<typeof apiDocument>;

/** A member of what is sent or answered. */
export interface Field {
  name: string;
  type: string;
  required: boolean;
  description: string;
}

/** An endpoint. `group`: the part of the API, `null` for what callers of models use. */
export interface Endpoint {
  method: string;
  path: string;
  group: string | null;
  summary: string;
  parameters: Field[];
  body: Field[];
  answer: Field[];
}

/** Every endpoint of the document, in its order. */
export function endpointsOf(document: ApiDocument): Endpoint[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, described]): Endpoint => {
      const { parameters = [], requestBody, responses, summary = '', tags = [] } = described;
      const [, success] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? [];
      return {
        method: method.toUpperCase(),
        path,
        group: tags[0] ?? null,
        summary,
        parameters: parameters.map(({ name, in: place, required = false, description = '', schema: type }) => ({
          name: place === 'query' ? name : `${name} (${place})`,
          type: typeOf(type),
          required,
          description,
        })),
        body: fieldsOf(jsonIn(requestBody?.content), document),
        answer: fieldsOf(jsonIn(success?.content), document),
      };
    }),
  );
}

const jsonIn = (types: z.infer<typeof content>): unknown => types?.['application/json']?.schema;

const read = (value: unknown): Schema | null => {
  const parsed = z.safeParse(schema, value);
  return parsed.success ? parsed.data : null;
};

/** The members of an object, of the schema itself or of the one that it refers to. */
function fieldsOf(value: unknown, document: ApiDocument): Field[] {
  const found = read(value);
  const name = found?.$ref?.split('/').at(-1);
  if (name !== undefined) return fieldsOf(document.components.schemas[name], document);
  if (found?.anyOf && !found.properties) return fieldsOf(found.anyOf[0], document);
  return Object.entries(found?.properties ?? {}).map(([member, type]) => ({
    name: member,
    type: typeOf(type),
    required: found?.required?.includes(member) ?? false,
    description: read(type)?.description ?? '',
  }));
}

/** In a word or two; of something that may be null, what else it may be. */
function typeOf(value: unknown): string {
  const found = read(value);
  if (!found) return '';
  if (found.enum) return found.enum.map((one) => JSON.stringify(one)).join(' | ');
  if (found.$ref) return found.$ref.split('/').at(-1) ?? '';
  if (found.anyOf) {
    const types = [...new Set(found.anyOf.map(typeOf))].filter((type) => type !== 'null' && type !== '');
    return types.join(' | ');
  }
  const type = Array.isArray(found.type) ? found.type.filter((one) => one !== 'null').join(' | ') : (found.type ?? '');
  return type === 'array' ? `${typeOf(found.items) || 'any'}[]` : type;
}

/** A text in pieces: what stands between two backticks is code. `at`: where a piece begins. */
export function partsOf(text: string): { at: number; part: string; isCode: boolean }[] {
  return [...text.matchAll(/`([^`]+)`|[^`]+|`/g)].map(({ 0: part, 1: code, index }) => ({
    at: index,
    part: code ?? part,
    isCode: code !== undefined,
  }));
}

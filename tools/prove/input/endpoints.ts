import { z } from 'zod';
import type { Schema } from './schema-sample';

const operation = z.object({
  tags: z.array(z.string()).default([]),
  parameters: z
    .array(z.object({ name: z.string(), in: z.string(), schema: z.record(z.string(), z.unknown()).default({}) }))
    .default([]),
  requestBody: z
    .object({ content: z.object({ 'application/json': z.object({ schema: z.record(z.string(), z.unknown()) }) }) })
    .optional(),
});
const document = z.object({
  components: z.object({ schemas: z.record(z.string(), z.record(z.string(), z.unknown())) }),
  paths: z.record(z.string(), z.record(z.string(), operation)),
});

/** One method of one address, as the OpenAPI document tells it. `body` null: it takes none. */
export interface Endpoint {
  method: string;
  path: string;
  isDashboard: boolean;
  query: { name: string; schema: Schema }[];
  body: Schema | null;
}

/** Every endpoint of a running edge, from /openapi.json, and the shapes that these name. */
export async function readEndpoints(
  baseUrl: string,
): Promise<{ endpoints: Endpoint[]; shapes: Record<string, Schema> }> {
  const response = await fetch(`${baseUrl}/openapi.json`);
  const { paths, components } = document.parse(await response.json());
  const endpoints = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { tags, parameters, requestBody }]) => ({
      method: method.toUpperCase(),
      path,
      isDashboard: tags.includes('Dashboard'),
      query: parameters.filter((one) => one.in === 'query'),
      body: requestBody?.content['application/json'].schema ?? null,
    })),
  );
  return { endpoints, shapes: components.schemas };
}

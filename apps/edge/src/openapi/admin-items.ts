import type { OpenAPIObject } from '@nestjs/swagger';
import { adminBase, servedRoutes, type ServedRoute } from '../admin-api/served-routes';
import { errors, onceParameter, parameter, queryParameters, toSchema } from './document-parts';

type PathItem = OpenAPIObject['paths'][string];

/** The path items of the admin API, from the routes that serve it, one a step. */
export function* adminItems(): Generator<void, OpenAPIObject['paths']> {
  const items: Record<string, PathItem> = {};
  for (const route of servedRoutes) {
    const path = `/${adminBase}${route.path.replace(/:(\w+)/g, '{$1}')}`;
    items[path] = { ...items[path], [route.method.toLowerCase()]: toDescribed(route) };
    yield;
  }
  return items;
}

function toDescribed(route: ServedRoute): NonNullable<PathItem['get']> {
  const { answer, body, params, query, scope, status, summary } = route;
  const writes = route.method !== 'GET';
  const isDoneOnce = writes && !route.act;
  // What is there already, or cannot be as things are; an idempotency key, and a version that holds no more.
  const mayConflict = isDoneOnce || route.mayConflict === true || (writes && 'version' in body.shape);
  const statuses = ['400', '401', '403', '404', ...(mayConflict ? ['409'] : []), '429', '500', '503'];
  const hasBody = Object.keys(body.shape).length > 0;
  return {
    tags: ['Administration'],
    summary: `${summary} (scope ${scope})`,
    security: [{ adminToken: [] }],
    parameters: [
      ...params.map((name) => parameter('path', name, '')),
      ...(isDoneOnce ? [onceParameter] : []),
      ...queryParameters(query),
    ],
    ...(hasBody && { requestBody: { required: true, content: { 'application/json': { schema: toSchema(body) } } } }),
    responses: {
      ...errors(statuses, 'Error'),
      [status]: {
        description: 'OK',
        content: {
          'application/json': { schema: toSchema(answer, 'output') },
          ...('isFile' in route && { 'text/csv': { schema: { type: 'string' } } }),
        },
      },
    },
  };
}

import type { OpenAPIObject } from '@nestjs/swagger';
import { accountRole, mayInAccount } from '@tollgate/contracts/accounts';
import { dashboardRoutes } from '../dashboard/dashboard-routes';
import type { DashboardRoute } from '../dashboard/route';
import { errors, onceParameter, parameter, queryParameters, toSchema } from './document-parts';

type PathItem = OpenAPIObject['paths'][string];
type Described = NonNullable<PathItem['get']>;

/** The path items of the dashboard's API, from the routes that serve it, one a step. */
export function* dashboardItems(): Generator<void, OpenAPIObject['paths']> {
  const items: Record<string, PathItem> = {};
  for (const route of dashboardRoutes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    items[path] = { ...items[path], [route.method.toLowerCase()]: toDescribed(route) };
    yield;
  }
  return items;
}

function toDescribed(route: DashboardRoute): Described {
  const { access, body, method, path, query, summary } = route;
  const statuses = [
    '400',
    ...(access === 'anyone' ? [] : ['401']),
    '403',
    '404',
    ...(method === 'GET' ? [] : ['409']),
    '429',
    '500',
    '503',
  ];
  return {
    tags: ['Dashboard'],
    summary: `${summary}${whoMay(access)}`,
    security: access === 'anyone' ? [] : [{ session: [] }],
    parameters: [
      ...[...path.matchAll(/:(\w+)/g)].map(([, name = '']) => parameter('path', name, '')),
      ...(method === 'GET' ? [] : [parameter('header', 'x-csrf-token', 'What GET /api/auth/me told')]),
      ...(route.isDoneOnce ? [onceParameter] : []),
      ...queryParameters(query),
    ],
    ...(body && { requestBody: { required: true, content: { 'application/json': { schema: toSchema(body) } } } }),
    responses: { ...errors(statuses, 'Error'), ...success(route) },
  };
}

function whoMay(access: DashboardRoute['access']): string {
  if (access === 'anyone' || access === 'person') return '';
  if (access === 'administrator') return ' (administrators)';
  return ` (${accountRole.options.filter((role) => mayInAccount(role, access)).join(', ')})`;
}

function success({ answer, status }: DashboardRoute): Described['responses'] {
  if (!answer) return { [status]: { description: 'Done' } };
  return { [status]: { description: 'OK', content: { 'application/json': { schema: toSchema(answer, 'output') } } } };
}

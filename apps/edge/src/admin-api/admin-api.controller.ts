import { Controller, HttpCode, Req, RequestMapping, RequestMethod, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AdminApi } from './admin-api';
import { AdminGuard, OpensTo, type AdminRequest } from './admin.guard';
import { adminBase, servedRoutes, type ServedRoute } from './served-routes';

/** The admin API: a handler for each of its routes. */
@Controller(adminBase)
@UseGuards(AdminGuard)
export class AdminApiController {
  constructor(readonly api: AdminApi) {}
}

for (const route of servedRoutes) serve(route);

function serve(route: ServedRoute): void {
  const name = `${route.method} ${route.path}`;
  const handler = function (this: AdminApiController, request: AdminRequest, reply: FastifyReply): Promise<object> {
    return this.api.answer(route, request, reply);
  };
  const descriptor: PropertyDescriptor = { value: handler };
  const { prototype } = AdminApiController;
  Object.defineProperty(prototype, name, descriptor);
  Req()(prototype, name, 0);
  Res({ passthrough: true })(prototype, name, 1);
  for (const decorate of [
    RequestMapping({ path: route.path, method: RequestMethod[route.method] }),
    HttpCode(route.status),
    OpensTo(route),
  ])
    decorate(prototype, name, descriptor);
}

import { Injectable, SetMetadata } from '@nestjs/common';
import type { ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import { GatewayError, type AdminToken } from '@tollgate/contracts';
import type { FastifyRequest } from 'fastify';
import type { ServedRoute } from './served-routes';

const routeOfHandler = 'admin-route';

/** Says which route a handler serves: without it the guard lets nobody in. */
export const ServesAdminRoute = (route: ServedRoute): MethodDecorator => SetMetadata(routeOfHandler, route);

/** A request that passed the AdminGuard. */
export interface AdminRequest extends FastifyRequest {
  user: AdminToken;
}

/** Lets requests pass whose admin token has the scope of the route. */
@Injectable()
export class AdminGuard extends AuthGuard('admin-bearer') {
  constructor(private readonly reflector: Reflector) {
    super();
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const route = this.reflector.get<ServedRoute | undefined>(routeOfHandler, context.getHandler());
    if (!route) throw new GatewayError(403, 'This is open to nobody.');
    await super.canActivate(context);
    const { scopes } = context.switchToHttp().getRequest<AdminRequest>().user;
    if (scopes.includes(route.scope)) return true;
    const message = `This admin token has not the scope ${route.scope}; it has ${scopes.join(', ')}.`;
    throw new GatewayError(403, message).because('insufficient_scope');
  }

  /** What the strategy threw reaches who asked as it is. */
  override handleRequest<User>(error: unknown, user: User | false | null): User {
    if (error instanceof Error) throw error;
    if (user) return user;
    throw new GatewayError(401, 'No admin token was given: send it in the header Authorization: Bearer <token>.');
  }
}

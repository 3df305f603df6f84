import { Injectable, SetMetadata } from '@nestjs/common';
import type { ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import { GatewayError, type AdminToken } from '@tollgate/contracts';
import type { FastifyRequest } from 'fastify';

const doorOfHandler = 'admin-door';

/** Says which scope a handler opens to: without it the guard lets nobody in. */
export const OpensTo = (door: { scope: string }): MethodDecorator => SetMetadata(doorOfHandler, door);

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
    const door = this.reflector.get<{ scope: string } | undefined>(doorOfHandler, context.getHandler());
    if (!door) throw new GatewayError(403, 'This is open to nobody.');
    await super.canActivate(context);
    const { scopes } = context.switchToHttp().getRequest<AdminRequest>().user;
    if (scopes.includes(door.scope)) return true;
    const message = `This admin token has not the scope ${door.scope}; it has ${scopes.join(', ')}.`;
    throw new GatewayError(403, message).because('insufficient_scope');
  }

  /** What the strategy threw reaches who asked as it is. */
  override handleRequest<User>(error: unknown, user: User | false | null): User {
    if (error instanceof Error) throw error;
    if (user) return user;
    throw new GatewayError(401, 'No admin token was given: send it in the header Authorization: Bearer <token>.');
  }
}

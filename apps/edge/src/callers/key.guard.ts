import { createParamDecorator, Injectable } from '@nestjs/common';
import type { ExecutionContext } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import { missingKey } from './authenticator';
import type { Caller } from './authenticator';

/** A request that passed the KeyGuard. */
export interface AuthenticatedRequest {
  user: Caller;
}

/**
 * Lets requests with a working API key pass, by the bearer strategy. What the Authenticator threw reaches the
 * caller as it is.
 */
@Injectable()
export class KeyGuard extends AuthGuard('bearer') {
  override handleRequest<User>(error: unknown, user: User | false | null): User {
    if (error instanceof Error) throw error;
    // The strategy does not ask the Authenticator when there is no key to verify.
    if (!user) throw missingKey();
    return user;
  }
}

/** The caller of a request that passed the KeyGuard. */
export const CurrentCaller = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Caller => context.switchToHttp().getRequest<AuthenticatedRequest>().user,
);

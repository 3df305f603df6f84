import { Injectable } from '@nestjs/common';
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import type { AuthenticatedRequest } from '../callers/key.guard';
import { requireContext } from '../http/request-context';
import { Admission } from './admission';

/** Takes a unit of the caller's requests per minute; it follows the KeyGuard. */
@Injectable()
export class RequestLimitGuard implements CanActivate {
  constructor(private readonly admission: Admission) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest & { raw: IncomingMessage }>();
    await this.admission.take(request.user, requireContext(request.raw));
    return true;
  }
}

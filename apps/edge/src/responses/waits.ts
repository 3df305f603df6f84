import { createParamDecorator } from '@nestjs/common';
import type { ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { whileThere } from '../generation/caller-left';
import type { CallersWait } from '../generation/caller-left';
import { requireContext } from '../http/request-context';

/** What the caller of a request waits for, which is no overhead of the gateway. */
export const Waits = createParamDecorator((_data: unknown, context: ExecutionContext): CallersWait => {
  const { raw } = context.switchToHttp().getRequest<FastifyRequest>();
  return (wait) => requireContext(raw).waitingFor(() => whileThere(raw, wait));
});

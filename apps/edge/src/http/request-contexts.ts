import type { IncomingMessage } from 'node:http';
import type { RequestContext } from './request-context';

const contexts = new WeakMap<IncomingMessage, RequestContext>();

/** Keeps what edge notes of a request beside it, for as long as the request lives. */
export function setContext(request: IncomingMessage, context: RequestContext): void {
  contexts.set(request, context);
}

/** What edge notes of a request; undefined before its first hook ran. */
export function contextOf(request: IncomingMessage): RequestContext | undefined {
  return contexts.get(request);
}

/** As `contextOf`, where the first hook has run for certain. @throws Error otherwise. */
export function requireContext(request: IncomingMessage): RequestContext {
  const context = contexts.get(request);
  if (!context) throw new Error('the request has no context');
  return context;
}

import { compile } from '@fastify/proxy-addr';
import { Injectable } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import { Clock } from '../clock';
import type { RequestMessage } from '../generation/inner-exchange';
import { Settings } from '../settings';
import { corsHeaders } from './cors';
import { RequestContext, requestIdOf } from './request-context';
import { isHttps } from './security-headers';

const contexts = new WeakMap<IncomingMessage, RequestContext>();

/** Begins what edge notes of a request, whichever way it goes from here. */
@Injectable()
export class RequestContexts {
  private readonly isTrusted: (address: string, hop: number) => boolean;
  private readonly ownProtocol: 'http' | 'https';

  constructor(
    private readonly settings: Settings,
    private readonly clock: Clock,
  ) {
    this.isTrusted = trustOf(settings.trustProxy);
    this.ownProtocol = settings.tls ? 'https' : 'http';
  }

  /** The context of a request that arrives now. */
  begin(message: Pick<RequestMessage, 'headers' | 'url' | 'socket'>): RequestContext {
    const { headers, url = '' } = message;
    const program = headers.originator ?? headers['user-agent'];
    const https = isHttps(this.protocolOf(message), headers.host);
    const context = new RequestContext(requestIdOf(headers), this.clock, https, program);
    context.corsHeaders = corsHeaders(url, headers.origin, this.settings.corsOrigins);
    return context;
  }

  /**
   * By which a request's caller came, as edge or a trusted proxy knows it. The last proxy counts, as for
   * Fastify: https://fastify.dev/docs/latest/Reference/Server/#trustproxy
   */
  private protocolOf({ headers, socket }: Pick<RequestMessage, 'headers' | 'socket'>): string {
    const told = headers['x-forwarded-proto'];
    if (typeof told !== 'string' || !this.isTrusted(socket.remoteAddress ?? '', 0)) return this.ownProtocol;
    return told.slice(told.lastIndexOf(',') + 1).trim();
  }
}

function trustOf(trustProxy: boolean | string): (address: string, hop: number) => boolean {
  if (typeof trustProxy === 'boolean') return () => trustProxy;
  return compile(trustProxy.split(',').map((part) => part.trim()));
}

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

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { compile } from '@fastify/proxy-addr';
import { Injectable } from '@nestjs/common';
import { uuidv7 } from '@tollgate/contracts';
import type { Caller } from '../callers/authenticator';
import { ModelCatalog } from '../catalog/model-catalog';
import { Clock } from '../clock';
import type { RequestMessage } from '../generation/inner-exchange';
import { Settings } from '../settings';
import { keepAliveHeader } from './keep-alive';
import { corsHeaders } from './cors';
import { leavesUnread } from './unread-bodies';

/**
 * What every answer tells browsers: nothing in it runs, loads or is framed, and its address goes nowhere.
 * Pages and the documentation set a policy of their own instead.
 * https://cheatsheetseries.owasp.org/cheatsheets/REST_Security_Cheat_Sheet.html#security-headers
 */
export const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
} as const;

/**
 * For answers over HTTPS: a year of nothing else (RFC 6797). Without subdomains, which may not be ours to
 * bind.
 */
const httpsOnly = { 'strict-transport-security': 'max-age=31536000' } as const;

const saneId = /^[\w.-]{1,128}$/;

/** The id of a request: the caller's `x-request-id` if it is sane, else one of ours. */
export function requestIdOf(headers: IncomingHttpHeaders): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && saneId.test(given) ? given : uuidv7();
}

/**
 * What edge notes of one request from its arrival on. `overheadMs` is the time that the gateway itself took
 * before the request was handed on (a generation), or until its answer began (all else); waiting for the
 * body's bytes is the caller's time and is left out, and with it what is waited for on purpose: memory and a
 * turn for the body, and for what is kept and goes before it, or is asked for.
 */
export class RequestContext {
  readonly startedAt: number;
  private readonly arrivedMs: number;
  private waitedMs = 0;
  private dispatchedMs: number | null = null;
  /**
   * Whether the sandbox answers this request; null: no model is asked, and what holds for the gateway as a
   * whole is told.
   */
  simulated: boolean | null = null;
  /** True for chat completions at OpenRouter's address: see GenerationRequest.tellThoughts. */
  tellsThoughts = false;
  /** Headers that only some requests are answered with. */
  moreHeaders: Record<string, string> | null = null;
  /** Headers for pages of other origins. */
  corsHeaders: Record<string, string> | null = null;
  /** True once somebody else than the framework writes the answer, and counts it. */
  isCountedApart = false;
  /** Who asks, once it is let in; null: it carried no key that works, or none was looked for yet. */
  caller: Caller | null = null;
  /** The model that it asks for, as it was written; null: its body was not read yet. */
  model: string | null = null;
  /** Rate-limit headers, once the caller is known. */
  limitHeaders: Record<string, string> = {};

  constructor(
    readonly requestId: string,
    private readonly clock: Clock,
    private readonly isHttps = false,
    /** What the caller's program calls itself: its header `originator`, else its user agent. */
    readonly program?: unknown,
  ) {
    this.startedAt = clock.nowMs();
    this.arrivedMs = clock.monotonicMs();
  }

  /** Adds headers to those that this request is answered with; null: none. */
  tell(headers: Record<string, string> | null): void {
    if (headers) this.moreHeaders = { ...this.moreHeaders, ...headers };
  }

  /** Adds words to the header of warnings, once. */
  warn(words: string): void {
    const before = this.moreHeaders?.['x-gateway-warnings'];
    if (`${before}; `.includes(`${words}; `)) return;
    this.tell({ 'x-gateway-warnings': before === undefined ? words : `${before}; ${words}` });
  }

  /** What takes its time for another reason than the gateway's own work. @throws what `wait` throws. */
  async waitingFor<Result>(wait: () => Promise<Result>): Promise<Result> {
    const sinceMs = this.clock.monotonicMs();
    try {
      return await wait();
    } finally {
      this.waitedMs += this.clock.monotonicMs() - sinceMs;
    }
  }

  /** The request is handed on now. */
  dispatched(): void {
    this.dispatchedMs = this.clock.monotonicMs();
  }

  /** Milliseconds since the request arrived. */
  elapsedMs(): number {
    return this.clock.monotonicMs() - this.arrivedMs;
  }

  overheadMs(): number {
    return (this.dispatchedMs ?? this.clock.monotonicMs()) - this.arrivedMs - this.waitedMs;
  }

  /**
   * The headers that every response carries, in an object of the receiver's own. `sandbox`: the sandbox
   * stands in for built-in providers.
   */
  headers(sandbox: boolean): Record<string, string> {
    const headers: Record<string, string> = {
      'x-request-id': this.requestId,
      // The name that Anthropic's clients look for: https://platform.claude.com/docs/en/api/errors#request-id
      'request-id': this.requestId,
      'x-gateway-overhead-ms': this.overheadMs().toFixed(2),
      'x-content-type-options': securityHeaders['x-content-type-options'],
      'referrer-policy': securityHeaders['referrer-policy'],
      'content-security-policy': securityHeaders['content-security-policy'],
    };
    Object.assign(headers, this.limitHeaders, this.moreHeaders, this.corsHeaders);
    if (this.isHttps) headers['strict-transport-security'] = httpsOnly['strict-transport-security'];
    if (this.simulated ?? sandbox) headers['x-gateway-sandbox'] = 'true';
    return headers;
  }
}

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

/**
 * True for a caller that came over HTTPS. Not for this machine's own name, under which other programs answer
 * without HTTPS. `host`: as the caller wrote it.
 */
function isHttps(protocol: string | undefined, host = ''): boolean {
  return protocol === 'https' && !/^localhost(:|$)/i.test(host);
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

/** What is known of an answer's connection, and which request it answers. */
interface Answered {
  readonly shouldKeepAlive: boolean;
  readonly req: object;
}

/** The headers that every response carries, whoever writes it. */
@Injectable()
export class ResponseHeaders {
  /** Set when edge stops: each answer then also ends its connection, so that callers go elsewhere. */
  isStopping = false;

  constructor(private readonly catalog: ModelCatalog) {}

  /** In an object of the receiver's own. `shouldKeepAlive`: as Node knows it of the request. */
  of(context: RequestContext, { shouldKeepAlive, req }: Answered): Record<string, string> {
    const headers = this.ofLast(context);
    if (this.isStopping || leavesUnread(req)) headers['connection'] = 'close';
    else if (shouldKeepAlive) headers['keep-alive'] = keepAliveHeader;
    return headers;
  }

  /** Of an answer that no other follows on its connection. */
  ofLast(context: RequestContext): Record<string, string> {
    return context.headers(this.catalog.isSandbox);
  }
}

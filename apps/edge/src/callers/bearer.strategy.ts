import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { Strategy } from 'passport-http-bearer';
import { Authenticator, type Caller, presentedKey } from './authenticator';

type StrategyRequest = Parameters<Strategy<never>['authenticate']>[0];
type Verify = (key: string, done: (error: unknown, user?: unknown) => void) => void;

/** passport-http-bearer, held to headers. */
export class HeaderBearer extends Strategy<Verify> {
  /**
   * The strategy would also take a token from the query or the body; it gets to see a request that has
   * neither.
   */
  override authenticate(request: StrategyRequest): void {
    const key = this.presented(request.headers);
    const seen: unknown = Object.create(request, {
      headers: { value: key === null ? {} : { authorization: `Bearer ${key}` } },
      query: { value: undefined },
      body: { value: undefined },
    });
    // The strategy's types ask for an Express request; of any request it reads just these three members.
    super.authenticate(seen as StrategyRequest);
  }

  /** What a request carries; null: nothing, or what can be no key. */
  protected presented(headers: IncomingHttpHeaders): string | null {
    return presentedKey(headers);
  }
}

/** API keys of callers. The decision is the Authenticator's. */
@Injectable()
export class BearerStrategy extends PassportStrategy(HeaderBearer, 'bearer') {
  constructor(private readonly authenticator: Authenticator) {
    super();
  }

  async validate(key: string): Promise<Caller> {
    return this.authenticator.verify(key);
  }
}

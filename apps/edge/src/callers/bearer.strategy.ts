import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { Strategy } from 'passport-http-bearer';
import { Authenticator } from './authenticator';
import type { Caller } from './authenticator';
import { presentedKey } from './presented-key';

type StrategyRequest = Parameters<Strategy<never>['authenticate']>[0];

/** passport-http-bearer, held to headers. The decision is the Authenticator's. */
@Injectable()
export class BearerStrategy extends PassportStrategy(Strategy, 'bearer') {
  constructor(private readonly authenticator: Authenticator) {
    super();
  }

  /**
   * The strategy would also take a token from the query or the body; it gets to see a request that has
   * neither.
   */
  override authenticate(request: StrategyRequest): void {
    const key = presentedKey(request.headers);
    const seen: unknown = Object.create(request, {
      headers: { value: key === null ? {} : { authorization: `Bearer ${key}` } },
      query: { value: undefined },
      body: { value: undefined },
    });
    // The strategy's types ask for an Express request; of any request it reads just these three members.
    super.authenticate(seen as StrategyRequest);
  }

  async validate(key: string): Promise<Caller> {
    return this.authenticator.verify(key);
  }
}

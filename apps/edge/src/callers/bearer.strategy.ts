import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { Authenticator } from './authenticator';
import type { Caller } from './authenticator';
import { HeaderBearer } from './header-bearer';

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

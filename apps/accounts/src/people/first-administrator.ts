import { createHash, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AccountsSettings } from '../settings';
import { Storage } from '../storage';
import { hasAdministrator } from './person-rows';

/** Whether somebody may make the first administrator: who holds the bootstrap secret, while there is none. There is no default password that could be forgotten. */
@Injectable()
export class FirstAdministrator {
  /** Once there is an administrator there is always one, so that it needs no further question. */
  private hasOne = false;

  constructor(
    private readonly storage: Storage,
    private readonly settings: AccountsSettings,
  ) {}

  /** Whether one may be made now. @throws ControlError `unavailable`. */
  async isNeeded(): Promise<boolean> {
    if (this.settings.people.bootstrapSecret === null || this.hasOne) return false;
    this.hasOne = await this.storage.read(hasAdministrator);
    return !this.hasOne;
  }

  isSecret(text: string): boolean {
    const digest = (secret: string) => createHash('sha256').update(secret).digest();
    return timingSafeEqual(digest(text), digest(this.settings.people.bootstrapSecret ?? ''));
  }
}

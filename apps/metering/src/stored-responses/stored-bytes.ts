import { Injectable } from '@nestjs/common';
import { ControlError } from '@tollgate/contracts';
import { Databases } from '../databases';
import { MeteringSettings } from '../settings';

/**
 * Holds accounts to the bytes that they may have stored, of responses and conversations. What is written at
 * the same time is not seen, so an account may have that much more.
 */
@Injectable()
export class StoredBytes {
  constructor(
    private readonly databases: Databases,
    private readonly settings: MeteringSettings,
  ) {}

  /** @throws ControlError `forbidden` for an account that would have more than it may with so many bytes. */
  async checkRoom(accountId: string, bytes: number): Promise<void> {
    const { storedBytes: most } = this.settings;
    const days = await this.databases.operations.storedBytes.findMany({ where: { accountId } });
    const stored = days.reduce((sum, day) => sum + Number(day.bytes), 0);
    if (stored + bytes <= most) return;
    throw new ControlError('forbidden', `This account has stored ${stored} of the ${most} bytes that it may.`);
  }
}

import { Controller } from '@nestjs/common';
import { billOperations } from '@tollgate/contracts/metering';
import { Serve } from '@tollgate/messaging';
import type { z } from 'zod';
import { ProviderBills } from './provider-bills';

type Read = typeof billOperations.read;

/** Has bills read when an operator asks. */
@Controller()
export class ProviderBillsController {
  constructor(private readonly bills: ProviderBills) {}

  @Serve(billOperations.read)
  async read({ day, provider }: z.output<Read['request']>): Promise<z.input<Read['reply']>> {
    return { bills: await this.bills.readNow(day, provider) };
  }
}

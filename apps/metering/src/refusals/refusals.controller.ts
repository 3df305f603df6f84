import { Controller } from '@nestjs/common';
import { refusalOperations } from '@tollgate/contracts/metering';
import { Serve } from '@tollgate/messaging';
import type { z } from 'zod';
import { databaseAnswer } from '../databases';
import { Refusals } from './refusals';

const { record, list } = refusalOperations;

/** Keeps and tells what edges refused by themselves. */
@Controller()
export class RefusalsController {
  constructor(private readonly refusals: Refusals) {}

  @Serve(record)
  record({ minutes }: z.output<typeof record.request>): Promise<z.output<typeof record.reply>> {
    return databaseAnswer(async () => {
      await this.refusals.record(minutes);
      return {};
    });
  }

  @Serve(list)
  list(request: z.output<typeof list.request>): Promise<z.output<typeof list.reply>> {
    return databaseAnswer(() => this.refusals.list(request));
  }
}

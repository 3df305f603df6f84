import { Controller } from '@nestjs/common';
import { guardrailOperations } from '@tollgate/contracts/metering';
import { Serve } from '@tollgate/messaging';
import type { z } from 'zod';
import { databaseAnswer } from '../databases';
import { GuardrailFindings } from './guardrail-findings';

const { record, list } = guardrailOperations;

/** Keeps and tells how often guardrails found something. */
@Controller()
export class GuardrailFindingsController {
  constructor(private readonly findings: GuardrailFindings) {}

  @Serve(record)
  record({ hours }: z.output<typeof record.request>): Promise<z.output<typeof record.reply>> {
    return databaseAnswer(async () => {
      await this.findings.record(hours);
      return {};
    });
  }

  @Serve(list)
  list({ startAt, endAt }: z.output<typeof list.request>): Promise<z.output<typeof list.reply>> {
    return databaseAnswer(async () => ({ counts: await this.findings.list(startAt, endAt) }));
  }
}

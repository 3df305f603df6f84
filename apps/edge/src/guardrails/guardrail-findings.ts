import { Injectable } from '@nestjs/common';
import { guardrailOperations, type FoundInHour, type GuardrailAction } from '@tollgate/contracts';
import { FindingCounts } from '@tollgate/guardrails';
import { ControlClient, NatsGenerationClient } from '@tollgate/messaging';
import { PeriodicWork } from '@tollgate/service';
import { EdgeMetrics } from '../health/edge-metrics';

const tellEveryMs = 2_000;
const sendTimeoutMs = 2_000;

/** Counts what guardrails find in requests, and has metering keep it. Nobody waits for it. */
@Injectable()
export class GuardrailFindings {
  private readonly counts: FindingCounts;

  constructor(control: ControlClient, client: NatsGenerationClient, metrics: EdgeMetrics, work: PeriodicWork) {
    this.counts = new FindingCounts(client.edgeId, (count) => metrics.guardrailFindingsDropped(count));
    const patience = { timeoutMs: sendTimeoutMs, absentMs: 0 };
    const keep = (hours: FoundInHour[]) => control.call(guardrailOperations.record, { hours }, patience);
    work.add({ name: 'findings of guardrails', everyMs: tellEveryMs, run: () => this.counts.tell(keep) });
  }

  found(guardrail: string, action: GuardrailAction): void {
    this.counts.add(guardrail, 'input', action);
  }
}

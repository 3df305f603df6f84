import type { CatalogModel } from '@tollgate/contracts';
import type { Outcome } from './exchange';
import type { PlannedRequest } from './planned-request';
import type { SimulatedProvider } from './simulated-provider';

export interface AuditReport {
  complete: number;
  /** The caller was told that it failed. */
  failed: number;
  /** The caller left, as planned. */
  left: number;
  /** A sentence for each answer that was silently short, doubled, reordered or never came. */
  violations: string[];
}

/** The provider gives its texts at the pace of a stream. */
const textsAtOnce = 64;

/** Holds every answer against the text that the provider gives for its prompt. */
export class StreamAudit {
  private readonly texts = new Map<string, Promise<string>>();
  private readonly upstreamModels: ReadonlyMap<string, string>;

  constructor(
    private readonly provider: SimulatedProvider,
    models: readonly CatalogModel[],
  ) {
    this.upstreamModels = new Map(models.map(({ id, deployments }) => [id, deployments[0]?.upstreamModel ?? '']));
  }

  async audit(outcomes: readonly Outcome[]): Promise<AuditReport> {
    const report: AuditReport = { complete: 0, failed: 0, left: 0, violations: [] };
    for (let at = 0; at < outcomes.length; at += textsAtOnce) {
      const some = outcomes.slice(at, at + textsAtOnce);
      const violations = await Promise.all(some.map((outcome) => this.violationOf(outcome)));
      for (const [index, outcome] of some.entries()) note(report, outcome, violations[index] ?? null);
    }
    return report;
  }

  /** What is wrong with an answer; null when nothing is. */
  private async violationOf({ request, state, content, reason }: Outcome): Promise<string | null> {
    if (state === 'silent') return reason;
    if (state === 'failed' || content === '') return null;
    if (request.kind === 'fault') return 'the provider failed, and the answer looks complete';
    const text = await this.textFor(request);
    return content === text ? null : `the text is not the provider's: ${JSON.stringify({ content, text })}`;
  }

  private textFor(request: PlannedRequest): Promise<string> {
    const key = `${request.model}\n${request.prompt}\n${request.stream}`;
    const known = this.texts.get(key);
    if (known) return known;
    const text = this.provider.textFor(this.upstreamModels.get(request.model) ?? '', request);
    this.texts.set(key, text);
    return text;
  }
}

function note(report: AuditReport, { request, state }: Outcome, violation: string | null): void {
  if (violation) report.violations.push(`${request.id} (${request.kind}): ${violation}`);
  else if (state !== 'silent') report[state]++;
}

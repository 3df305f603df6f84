import { busyStreams, firstChunkPerS, pacedPerS, saturatedConnections, type BenchPlan } from './bench-plan';
import type { BenchTarget } from './bench-target';
import type { BenchProcess } from './child-process';
import type { LoadJob } from './load/job';
import { measure, type Measurement } from './measurement';
import { busyStreamBody, heldStreamBody, plainBody, shortStreamBody } from './request-bodies';

/**
 * paced and firstChunk: at a fixed rate; saturated and streams: as fast as it goes; held: many streams open
 * at once.
 */
export type MeasurementKind = 'paced' | 'firstChunk' | 'saturated' | 'streams' | 'held';

/** A warm-up run that is less than this much faster than the best before it is the last. */
const stillFaster = 1.05;

/** Everything that was measured of one target, a measurement for each round. */
export type TargetMeasurements = Record<MeasurementKind, Measurement[]>;

/** Measures the targets in turns, so that whatever else the machine does falls on all of them alike. */
export class BenchRun {
  readonly results = new Map<BenchTarget['name'], TargetMeasurements>();

  constructor(
    private readonly plan: BenchPlan,
    private readonly targets: readonly BenchTarget[],
    private readonly generator: BenchProcess,
    private readonly pids: () => ReadonlyMap<string, number>,
    private readonly progress: (line: string) => void,
  ) {
    for (const { name } of targets) {
      this.results.set(name, { paced: [], firstChunk: [], saturated: [], streams: [], held: [] });
    }
  }

  async run(): Promise<void> {
    this.progress('warming up');
    for (const target of this.targets) await this.warmUp(target);
    for (let round = 1; round <= this.plan.rounds; round++) {
      this.progress(`round ${round} of ${this.plan.rounds}`);
      for (const kind of ['paced', 'firstChunk', 'saturated'] as const) await this.measureAll(kind);
    }
    this.progress('busy streams');
    await this.measureAll('streams');
    this.progress(`${this.plan.heldStreams} open streams`);
    await this.measureAll('held');
  }

  private async measureAll(kind: MeasurementKind): Promise<void> {
    for (const target of this.targets) {
      const measurement = await measure(this.generator, this.job(kind, target), this.pids);
      this.results.get(target.name)?.[kind].push(measurement);
    }
  }

  private async warmUp(target: BenchTarget): Promise<void> {
    const job: LoadJob = {
      ...this.job('saturated', target),
      kind: 'saturated',
      durationS: this.plan.warmUpS,
      connections: saturatedConnections,
    };
    let best = 0;
    for (let run = 0; run < this.plan.maxWarmUps; run++) {
      const { load } = await measure(this.generator, job, this.pids);
      const requestsPerS = load.requests / load.elapsedS;
      if (requestsPerS < best * stillFaster) return;
      best = requestsPerS;
    }
  }

  private job(kind: MeasurementKind, { url, headers, model }: BenchTarget): LoadJob {
    const { plan } = this;
    const at = { url, headers };
    switch (kind) {
      case 'paced':
        return { kind, ...at, body: plainBody(model), durationS: plan.pacedS, ratePerS: pacedPerS };
      case 'firstChunk':
        return {
          kind: 'paced',
          ...at,
          body: shortStreamBody(model),
          durationS: plan.firstChunkS,
          ratePerS: firstChunkPerS,
        };
      case 'saturated':
        return { kind, ...at, body: plainBody(model), durationS: plan.saturatedS, connections: saturatedConnections };
      case 'streams':
        return {
          kind: 'saturated',
          ...at,
          body: busyStreamBody(model),
          durationS: plan.streamsS,
          connections: busyStreams,
        };
      case 'held':
        return { kind, ...at, body: heldStreamBody(model, plan.heldS), connections: plan.heldStreams };
    }
  }
}

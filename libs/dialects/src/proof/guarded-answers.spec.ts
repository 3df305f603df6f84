import fc from 'fast-check';
import { AnswerCollector } from '../canonical/collect-answer';
import type { GenerationEvent } from '../canonical/generation-event';
import type { AnswerGate } from '../canonical/guarded-events';
import { GuardedEvents } from '../canonical/guarded-events';
import { LegalEvents } from '../canonical/legal-events';
import { surfaceCodecs } from '../translations';
import { randomEvents } from './random-events.fixture';
import { illegal } from './surfaces.fixture';
import { answerContext } from './targets.fixture';

const runs = { seed: 20_260_101, numRuns: 500 };

/** Holds some characters back, as guardrails do, and lets all of them go in the end. */
class SlowGate implements AnswerGate {
  blockedBy: string | null = null;
  hasChanged = false;
  private held = '';

  constructor(
    private readonly heldBack: number,
    private readonly blocksAt: string | null = null,
  ) {}

  push(piece: string): string {
    this.held += piece;
    if (this.blocksAt !== null && this.held.includes(this.blocksAt)) this.blockedBy = 'rule';
    return this.take(Math.max(0, this.held.length - this.heldBack));
  }

  end(): string {
    return this.take(this.held.length);
  }

  private take(length: number): string {
    const taken = this.held.slice(0, length);
    this.held = this.held.slice(length);
    return taken;
  }
}

function ordered(events: readonly GenerationEvent[]): GenerationEvent[] {
  const legal = new LegalEvents('Acme');
  return events.flatMap((event) => legal.take(event));
}

function guarded(events: readonly GenerationEvent[], newGate: () => AnswerGate): GenerationEvent[] {
  const guard = new GuardedEvents(newGate);
  return events.flatMap((event) => guard.take(event));
}

/** The answer without what guarding leaves out or may write in another way. */
function saidIn(events: readonly GenerationEvent[]) {
  const collector = new AnswerCollector();
  for (const event of events) collector.add(event);
  const { choices, usage } = collector.answer();
  const blocks = (choice: (typeof choices)[number]) =>
    choice.blocks
      .map((block) => {
        const { logprobs: _logprobs, ...rest } = { logprobs: null, ...block };
        return JSON.stringify(rest, (name, value: unknown) => (name === 'arguments' ? String(value) : value));
      })
      .sort();
  return { usage, choices: choices.map((choice) => ({ ...choice, blocks: blocks(choice) })) };
}

describe('an answer that goes through gates', () => {
  it.each(surfaceCodecs.map((surface) => [surface.name, surface] as const))('is a legal stream on %s', (_, surface) => {
    fc.assert(
      fc.property(randomEvents(true), fc.nat(30), (events, heldBack) => {
        const writer = surface.streamWriter(answerContext());
        const left = guarded(ordered(events), () => new SlowGate(heldBack));
        expect(illegal(surface.name, left.map((event) => writer.write(event)).join(''))).toBeNull();
      }),
      runs,
    );
  });

  it('says the same when no gate takes anything out', () => {
    fc.assert(
      fc.property(randomEvents(true), fc.nat(30), (events, heldBack) => {
        const legal = ordered(events);
        expect(saidIn(guarded(legal, () => new SlowGate(heldBack)))).toEqual(saidIn(legal));
      }),
      runs,
    );
  });

  it('ends with one error where a gate blocks, and tells nothing afterwards but the usage', () => {
    const usage = { type: 'usage' as const, usage: { ...zero, input: 3, output: 4 } };
    const events: GenerationEvent[] = [
      { type: 'start', id: null, model: null, createdAtS: null },
      { type: 'text-start', choice: 0, block: 0 },
      { type: 'text-delta', choice: 0, block: 0, text: 'fine so far, ' },
      { type: 'text-delta', choice: 0, block: 0, text: 'then bad' },
      { type: 'text-delta', choice: 0, block: 0, text: ' and more' },
      { type: 'text-end', choice: 0, block: 0 },
      { type: 'finish', choice: 0, reason: 'stop' },
      usage,
      { type: 'end' },
    ];
    const left = guarded(events, () => new SlowGate(100, 'bad'));
    expect(left).toEqual([
      events[0],
      { type: 'error', error: expect.objectContaining({ code: 'guardrail_blocked', guardrail: 'rule' }) },
      usage,
    ]);
  });

  it('keeps arguments JSON, and takes the seal off reasoning that changed', () => {
    const upper = (): AnswerGate => ({
      blockedBy: null,
      hasChanged: true,
      push: (piece) => piece.replaceAll(/bad|4111/g, '[x]'),
      end: () => '',
    });
    const left = guarded(
      [
        { type: 'reasoning-start', choice: 0, block: 0 },
        { type: 'reasoning-delta', choice: 0, block: 0, text: 'a bad thought' },
        { type: 'reasoning-end', choice: 0, block: 0, seal: { dialect: 'gemini', kind: 'signature', value: 's' } },
        { type: 'tool-call-start', choice: 0, block: 1, id: 'c', name: 'pay' },
        { type: 'tool-call-delta', choice: 0, block: 1, arguments: '{"to":"\\nbad","card":' },
        { type: 'tool-call-delta', choice: 0, block: 1, arguments: '4111}' },
        { type: 'tool-call-end', choice: 0, block: 1 },
      ],
      upper,
    );
    expect(left).toEqual([
      { type: 'reasoning-start', choice: 0, block: 0 },
      { type: 'reasoning-delta', choice: 0, block: 0, text: 'a [x] thought' },
      { type: 'reasoning-end', choice: 0, block: 0 },
      { type: 'tool-call-start', choice: 0, block: 1, id: 'c', name: 'pay' },
      { type: 'tool-call-delta', choice: 0, block: 1, arguments: '{"to":"\\n[x]","card":"[x]"}' },
      { type: 'tool-call-end', choice: 0, block: 1 },
    ]);
  });
});

const zero = {
  cachedInput: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  reasoning: 0,
  audioInput: 0,
  audioOutput: 0,
};

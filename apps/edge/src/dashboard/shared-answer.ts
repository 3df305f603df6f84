import type { Clock } from '../clock';

/** What is dear to ask for, and the same for everybody: one question answers all who come within some time. */
export class SharedAnswer<Answer> {
  private asked: { answer: Promise<Answer>; untilMs: number } | null = null;

  /** `keptMs`: from when an answer came it is told for so long. */
  constructor(
    private readonly clock: Clock,
    private readonly keptMs: number,
    private readonly ask: () => Promise<Answer>,
  ) {}

  /** @throws what asking threw, to everybody who waits for it; the next one asks anew. */
  read(): Promise<Answer> {
    if (!this.asked || this.clock.monotonicMs() >= this.asked.untilMs) this.asked = this.begin();
    return this.asked.answer;
  }

  private begin(): { answer: Promise<Answer>; untilMs: number } {
    const asked = { answer: this.ask(), untilMs: Number.POSITIVE_INFINITY };
    void asked.answer.then(
      () => (asked.untilMs = this.clock.monotonicMs() + this.keptMs),
      () => (asked.untilMs = 0),
    );
    return asked;
  }
}

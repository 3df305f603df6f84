import { Injectable } from '@nestjs/common';
import type { Sampling, SeenTokens } from '../request/neutral-request';

/**
 * What one request really cost at this provider. open: still running; completed: written to its end; cut: the
 * peer left, or a fault broke it off; refused: an error status.
 * `outputTokens` and `chunks` grow as tokens are written, so that a cut answer has what was produced. Times
 * are epoch milliseconds;
 * `closedByPeerAt` null: the peer did not leave early.
 */
export interface LedgerRow {
  requestId: string;
  /** What its answer is called, without what stands in front of it in the dialect. */
  answerId: string;
  model: string;
  /** What was asked for. */
  kind: 'generation' | 'embedding';
  stream: boolean;
  state: 'open' | 'completed' | 'cut' | 'refused';
  status: number;
  fault: string | null;
  /** With what a cache gave and took, and with those of sound. */
  inputTokens: number;
  audioInputTokens: number;
  /** Of those, the ones of pictures and films, where they are told apart: they cost what text does. */
  seen: SeenTokens;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  /** Of those that a cache took, the ones that it keeps for an hour. */
  cacheWrite1hTokens: number;
  outputTokens: number;
  /** Of those, the ones of sound. */
  audioOutputTokens: number;
  /** The model that answered in place of its own, which declined; null: none did. */
  answeredBy: string | null;
  /** The words of tier, speed and region that served it, where they are not the usual ones. */
  served: readonly string[];
  /** Uses of the provider's own tools, and of what else is charged by the use. */
  units: Readonly<Record<string, number>>;
  /** Samplings that are charged on top of the tokens above. */
  samplings: readonly Sampling[];
  chunks: number;
  startedAt: number;
  endedAt: number | null;
  closedByPeerAt: number | null;
}

/** Totals of the rows of one model. Requests count whatever came of them; tokens of refused ones are 0. */
export interface LedgerTotals {
  model: string;
  requests: number;
  open: number;
  completed: number;
  cut: number;
  refused: number;
  inputTokens: number;
  outputTokens: number;
}

/**
 * The books: one row for every request that was answered. The oldest rows go when there are more than
 * `maxRows`.
 */
@Injectable()
export class Ledger {
  private readonly rows: LedgerRow[] = [];
  /** Where the next row goes once the books are full. */
  private next = 0;

  constructor(private readonly maxRows: number) {}

  book(row: LedgerRow): LedgerRow {
    if (this.rows.length < this.maxRows) this.rows.push(row);
    else {
      this.rows[this.next] = row;
      this.next = (this.next + 1) % this.maxRows;
    }
    return row;
  }

  /** All rows, oldest first. */
  all(): LedgerRow[] {
    return [...this.rows.slice(this.next), ...this.rows.slice(0, this.next)];
  }

  /** Totals by model, in order of the model's name. */
  summary(): LedgerTotals[] {
    const totals = new Map<string, LedgerTotals>();
    for (const row of this.rows) {
      const total = totals.get(row.model) ?? emptyTotals(row.model);
      totals.set(row.model, total);
      total.requests++;
      total[row.state]++;
      total.inputTokens += row.inputTokens;
      total.outputTokens += row.outputTokens;
    }
    return [...totals.values()].sort((a, b) => (a.model < b.model ? -1 : 1));
  }

  /** Forgets every row. Answers that are still running are booked no more. */
  clear(): void {
    this.rows.length = 0;
    this.next = 0;
  }
}

function emptyTotals(model: string): LedgerTotals {
  return { model, requests: 0, open: 0, completed: 0, cut: 0, refused: 0, inputTokens: 0, outputTokens: 0 };
}

import { Controller, Delete, Get, HttpCode, Query } from '@nestjs/common';
import { Ledger } from './ledger';
import type { LedgerRow, LedgerTotals } from './ledger';
import { chargesOf } from '../bills/booked-use';

/**
 * `picoUsd`: what the seller of the model charges for it, as a decimal string; null: the model has no price
 * in the sellers' sheet.
 */
type ChargedRow = LedgerRow & { picoUsd: string | null };

/**
 * The books, for tests: GET /ledger (`?model=`, `?requestId=`, `?state=` filter), GET /ledger/summary, DELETE
 * /ledger.
 */
@Controller('ledger')
export class LedgerController {
  constructor(private readonly ledger: Ledger) {}

  @Get()
  rows(
    @Query('model') model?: string,
    @Query('requestId') requestId?: string,
    @Query('state') state?: string,
  ): { rows: ChargedRow[] } {
    const rows = this.ledger
      .all()
      .filter(
        (row) =>
          (model === undefined || row.model === model) &&
          (requestId === undefined || row.requestId === requestId) &&
          (state === undefined || row.state === state),
      );
    return { rows: rows.map((row) => ({ ...row, picoUsd: picoUsdOf(row) })) };
  }

  @Get('summary')
  summary(): { models: LedgerTotals[] } {
    return { models: this.ledger.summary() };
  }

  @Delete()
  @HttpCode(204)
  clear(): void {
    this.ledger.clear();
  }
}

function picoUsdOf(row: LedgerRow): string | null {
  const charges = chargesOf(row);
  if (charges.some(({ charge }) => charge === null)) return null;
  const picos = charges.flatMap(({ charge }) => Object.values(charge ?? {}));
  return picos.reduce((sum, picoUsd) => sum + picoUsd, 0n).toString();
}

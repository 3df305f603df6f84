import { Controller, Delete, Get, HttpCode, Query } from '@nestjs/common';
import { Ledger } from './ledger';
import type { LedgerRow, LedgerTotals } from './ledger';

/** The books, for tests: GET /ledger (`?model=`, `?requestId=`, `?state=` filter), GET /ledger/summary, DELETE /ledger. */
@Controller('ledger')
export class LedgerController {
  constructor(private readonly ledger: Ledger) {}

  @Get()
  rows(
    @Query('model') model?: string,
    @Query('requestId') requestId?: string,
    @Query('state') state?: string,
  ): { rows: LedgerRow[] } {
    const rows = this.ledger
      .all()
      .filter(
        (row) =>
          (model === undefined || row.model === model) &&
          (requestId === undefined || row.requestId === requestId) &&
          (state === undefined || row.state === state),
      );
    return { rows };
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

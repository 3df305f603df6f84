import { Controller, Get, Header, Query, UseGuards } from '@nestjs/common';
import { GatewayError, meteringOperations, metricsPeriods } from '@tollgate/contracts';
import { ControlClient } from '@tollgate/messaging';
import { RequestLimitGuard } from '../admission/request-limit.guard';
import type { Caller } from '../callers/authenticator';
import { CurrentCaller, KeyGuard } from '../callers/key.guard';
import { ModelCatalog } from '../catalog/model-catalog';
import { metricsBody } from './metrics-body';
import { metricsQuery } from './report-shapes';

/** Requests, tokens and cost of the calling key. */
@Controller('api/metrics')
@UseGuards(KeyGuard, RequestLimitGuard)
export class MetricsController {
  constructor(
    private readonly control: ControlClient,
    private readonly catalog: ModelCatalog,
  ) {}

  @Get()
  @Header('content-type', 'application/json; charset=utf-8')
  async metrics(@CurrentCaller() { key }: Caller, @Query() query: unknown): Promise<string> {
    const { period, calendar, model: named } = readQuery(query);
    const model = named === undefined ? undefined : this.catalog.reported(named);
    const report = await this.control.call(
      meteringOperations.metrics,
      { keyId: key.id, period, calendar: calendar !== undefined, model },
      { timeoutMs: 3_000 },
    );
    return metricsBody(period, report, (id) => this.catalog.priceStanding(id));
  }
}

function readQuery(query: unknown) {
  const result = metricsQuery.safeParse(query);
  if (result.success && result.data.calendar && result.data.period !== 'month')
    throw new GatewayError(400, 'calendar: goes with period=month only');
  if (result.success) return result.data;
  const [field] = result.error.issues[0]?.path ?? [];
  if (field === 'period') throw new GatewayError(400, `period: must be one of ${metricsPeriods.join(', ')}`);
  if (field === 'calendar') throw new GatewayError(400, 'calendar: must be true, or absent');
  throw new GatewayError(400, 'model: must be one model id of at most 256 characters');
}

import { Controller, Get, Header, Query, UseGuards } from '@nestjs/common';
import { GatewayError, decimalFromNanoUsd } from '@tollgate/contracts';
import {
  meteringOperations,
  metricsPeriods,
  sliceDimensions,
  type SliceDimension,
  type MetricsPeriod,
  type MetricsReport,
  type SlicedReport,
  slicesAndRest,
} from '@tollgate/contracts/metering';
import { ControlClient } from '@tollgate/messaging';
import { RequestLimitGuard } from '../admission/request-limit.guard';
import type { Caller } from '../callers/authenticator';
import { CurrentCaller, KeyGuard } from '../callers/key.guard';
import { nameOf } from '../callers/attribution-of';
import { ModelCatalog } from '../catalog/model-catalog';
import { metricsQuery, type MetricsQuery } from './report-shapes';
import { unknownParameters } from './unknown-parameters';

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
    const asked = readQuery(query);
    const { period, calendar, model: named, group_by: divideBy } = asked;
    const slice = sliceOf(asked);
    const model = named === undefined ? undefined : this.catalog.reported(named);
    const report = await this.control.call(
      meteringOperations.metrics,
      { keyId: key.id, period, calendar: calendar !== undefined, model, divideBy, slice },
      { timeoutMs: 3_000 },
    );
    // A metering of the release before tells of the whole, whatever it is asked.
    if ((divideBy || slice) && !report.sliced)
      throw new GatewayError(503, 'The part of the gateway that tells this is being replaced; try again shortly.', 5);
    return metricsBody(period, report, (id) => this.catalog.priceStanding(id), divideBy);
  }
}

/**
 * What it is restricted to, beside a model; undefined: nothing.
 * @throws GatewayError 400 where that is more than one thing, or it is to be divided as well.
 */
function sliceOf(asked: MetricsQuery): { dimension: SliceDimension; name: string } | undefined {
  const slices = sliceDimensions.flatMap((dimension) => {
    const name = asked[dimension];
    return name === undefined ? [] : [{ dimension, name: keptAs(dimension, name) }];
  });
  const [slice] = slices;
  if (slice && asked.group_by) throw new GatewayError(400, `group_by: does not go with ${slice.dimension}`);
  if (slices.length > 1)
    throw new GatewayError(400, `${slices.map(({ dimension }) => dimension).join(', ')}: only one of them goes`);
  return slice;
}

/** Whoever asks says a name as requests do, or as reports tell it. */
function keptAs(dimension: SliceDimension, name: string): string {
  return dimension === 'end_user' || dimension === 'session' ? (nameOf(name) ?? name) : name;
}

function readQuery(query: unknown): MetricsQuery {
  const result = metricsQuery.safeParse(query);
  if (result.success && result.data.calendar && result.data.period !== 'month')
    throw new GatewayError(400, 'calendar: goes with period=month only');
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  // Who names a window in other words would take the last day for it.
  if (issue?.code === 'unrecognized_keys')
    throw unknownParameters(issue.keys, metricsQuery, 'The report ends now, and period says when it begins.');
  const [field] = issue?.path ?? [];
  if (field === 'period') throw new GatewayError(400, `period: must be one of ${metricsPeriods.join(', ')}`);
  if (field === 'calendar') throw new GatewayError(400, 'calendar: must be true, or absent');
  if (field === 'group_by') throw new GatewayError(400, `group_by: must be one of ${sliceDimensions.join(', ')}`);
  const dimension = sliceDimensions.find((one) => one === field);
  if (dimension) throw new GatewayError(400, `${dimension}: must be one name of at most 256 characters`);
  throw new GatewayError(400, 'model: must be one model id of at most 256 characters');
}

/**
 * What is known of where the prices of a model are from. `day`: YYYY-MM-DD; null: not known, or the operator
 * set them. `unconfirmed`: sources disagree on them.
 */
interface PriceStanding {
  day: string | null;
  old: boolean;
  unconfirmed: boolean;
}

type Counters = MetricsReport['totals'];

/**
 * The report as JSON text. Costs are written as exact decimals: a JavaScript number would round nano-dollars
 * once sums are large. `pricesOf`: whether the prices of a model can be trusted; null: of one that the
 * catalog does not have. `dividedBy`: what it is divided by; undefined: it is of one slice, or whole.
 */
export function metricsBody(
  period: MetricsPeriod,
  report: MetricsReport,
  pricesOf: (model: string) => PriceStanding | null,
  dividedBy?: SliceDimension,
): string {
  const start = new Date(report.startAt).toISOString();
  const end = new Date(report.endAt).toISOString();
  const byModel = report.byModel.map(
    (entry) => `{"model":${JSON.stringify(entry.model)},${counters(entry)}${standing(pricesOf(entry.model))}}`,
  );
  return (
    `{"period":${JSON.stringify(period)},"start":${JSON.stringify(start)},"end":${JSON.stringify(end)},` +
    `"totals":{${counters(report.totals)}},"by_model":[${byModel.join(',')}]${report.sliced ? slicesOf(report.sliced, dividedBy) : ''}}`
  );
}

function slicesOf(report: SlicedReport, dividedBy: SliceDimension | undefined): string {
  const { other } = report;
  if (dividedBy === undefined) return other.requests > 0 ? `,"not_told_apart":{${counters(other)}}` : '';
  const entries = slicesAndRest(report).map(
    (slice) => `{"${dividedBy}":${JSON.stringify(slice.name)},${counters(slice)}}`,
  );
  return `,"by_${dividedBy}":[${entries.join(',')}]`;
}

function standing(prices: PriceStanding | null): string {
  if (!prices) return '';
  const age = prices.day === null ? '' : `,"prices_as_of":${JSON.stringify(prices.day)},"prices_old":${prices.old}`;
  return `${age},"prices_unconfirmed":${prices.unconfirmed}`;
}

function counters({ requests, unpricedRequests, inputTokens, outputTokens, costNanoUsd }: Counters): string {
  return (
    `"requests":${requests},"unpriced_requests":${unpricedRequests},"input_tokens":${inputTokens},"output_tokens":${outputTokens},` +
    `"total_tokens":${inputTokens + outputTokens},"cost_usd":${decimalFromNanoUsd(BigInt(costNanoUsd))}`
  );
}

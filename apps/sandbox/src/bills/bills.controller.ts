import type { IncomingHttpHeaders } from 'node:http';
import {
  BadRequestException,
  Controller,
  Get,
  HttpCode,
  Post,
  Query,
  Req,
  UnauthorizedException,
  NotFoundException,
} from '@nestjs/common';
import { z } from 'zod';
import { Bills, dayMs, planting, type BilledRequest } from './bills';
import { isTokenKind, type BookedUse, type Seller, type TokenKind } from './price-sheet';
import { generationPrefix } from '../openai-chat/told-charge';

/** What OpenRouter tells of single answers, from the books. */
@Controller()
export class GenerationsController {
  constructor(private readonly bills: Bills) {}

  /** https://openrouter.ai/docs/api/api-reference/generations/get-generation */
  @Get('openai-chat/generation')
  generation(@Query('id') id = ''): object {
    const asked = id.startsWith(generationPrefix) ? id.slice(generationPrefix.length) : '';
    const found = this.bills
      .requests('openrouter', 0, Number.MAX_SAFE_INTEGER)
      .find(({ answerId }) => asked !== '' && answerId === asked);
    if (!found) throw new NotFoundException({ error: { code: 404, message: `Generation ${id} not found` } });
    const { model, at, use, charge } = found;
    const picos = Object.values(charge).reduce((sum, picoUsd) => sum + picoUsd, 0n);
    const cost = Number(picos) / 1e12;
    return {
      data: {
        ...{ id, model, created_at: new Date(at).toISOString(), total_cost: cost, usage: cost, is_byok: false },
        ...{ upstream_inference_cost: null, cache_discount: null, provider_name: 'OpenAI' },
        ...{ native_tokens_prompt: use.input + use.cachedInput, native_tokens_completion: use.output },
        native_tokens_cached: use.cachedInput,
      },
    };
  }
}

type Queried = Record<string, string | string[] | undefined>;
interface Asked {
  headers: IncomingHttpHeaders;
}

const minuteMs = 60_000;

/**
 * As line items of OpenAI's costs name them; a tool's stands without a model, one that is not here by its own
 * name.
 */
const openaiItems: Readonly<Record<string, string>> = {
  input: 'input',
  cachedInput: 'cached input',
  cacheWrite5m: 'cache write',
  cacheWrite1h: 'cache write',
  output: 'output',
  audioInput: 'audio input',
  audioOutput: 'audio output',
  webSearch: 'web search',
  fileSearch: 'file search',
  codeSession: 'code interpreter',
};

const inputKinds: readonly TokenKind[] = ['input', 'cachedInput', 'cacheWrite5m', 'cacheWrite1h', 'audioInput'];

/** https://platform.claude.com/docs/en/api/admin/cost_report */
const anthropicTypes: Record<Exclude<TokenKind, 'audioInput' | 'audioOutput'>, string> = {
  input: 'uncached_input_tokens',
  cachedInput: 'cache_read_input_tokens',
  cacheWrite5m: 'cache_creation.ephemeral_5m_input_tokens',
  cacheWrite1h: 'cache_creation.ephemeral_1h_input_tokens',
  output: 'output_tokens',
};

/** The cost and usage APIs of the sellers, from the books of the simulated ones, and a bill as a file. */
@Controller()
export class BillsController {
  constructor(private readonly bills: Bills) {}

  /** https://platform.openai.com/docs/api-reference/usage/costs */
  @Get(['openai-chat/organization/costs', 'openai-responses/organization/costs'])
  openaiCosts(@Query() query: Queried, @Req() { headers }: Asked): object {
    demandAdministrator(headers.authorization, 'Bearer sk-admin');
    const from = openaiStart(query);
    const isByItem = [query.group_by, query['group_by[]']].flat().includes('line_item');
    const lines = this.bills.costs('openai', from).map(({ model, kind, picoUsd }) => {
      const item = openaiItems[kind] ?? kind;
      return { item: isTokenKind(kind) ? `${model}, ${item}` : item, picoUsd };
    });
    const whole = { item: null, picoUsd: lines.reduce((sum, { picoUsd }) => sum + picoUsd, 0n) };
    const results = (isByItem ? lines : [whole]).map(({ item, picoUsd }) => ({
      object: 'organization.costs.result',
      amount: { value: Number(picoUsd) / 1e12, currency: 'usd' },
      line_item: item,
      project_id: null,
    }));
    return openaiPage([{ from, to: from + dayMs, results }], null);
  }

  /** https://platform.openai.com/docs/api-reference/usage/completions */
  @Get(['openai-chat/organization/usage/completions', 'openai-responses/organization/usage/completions'])
  openaiUsage(@Query() query: Queried, @Req() { headers }: Asked): object {
    return this.openaiMinutes(query, headers, 'generation', (all) => ({
      object: 'organization.usage.completions.result',
      input_tokens: inputKinds.reduce((sum, kind) => sum + sumOf(all, kind), 0),
      output_tokens: sumOf(all, 'output') + sumOf(all, 'audioOutput'),
      input_cached_tokens: sumOf(all, 'cachedInput'),
    }));
  }

  /** https://platform.openai.com/docs/api-reference/usage/embeddings */
  @Get(['openai-chat/organization/usage/embeddings', 'openai-responses/organization/usage/embeddings'])
  openaiEmbeddings(@Query() query: Queried, @Req() { headers }: Asked): object {
    return this.openaiMinutes(query, headers, 'embedding', (all) => ({
      object: 'organization.usage.embeddings.result',
      input_tokens: sumOf(all, 'input'),
    }));
  }

  /** https://platform.claude.com/docs/en/api/admin/cost_report */
  @Get('anthropic-messages/organizations/cost_report')
  anthropicCosts(@Query() query: Queried, @Req() { headers }: Asked): object {
    demandAdministrator(headers['x-api-key'], 'sk-ant-admin');
    const from = Date.parse(String(query.starting_at));
    const lines = this.bills.costs('anthropic', from).filter(({ picoUsd }) => picoUsd > 0n);
    const results = lines.map(({ model, kind, picoUsd }) => ({
      amount: centsOf(picoUsd),
      currency: 'USD',
      ...(isAnthropics(kind)
        ? {
            ...{ cost_type: 'tokens', token_type: anthropicTypes[kind], context_window: '0-200k', model },
            service_tier: 'standard',
          }
        : { cost_type: 'web_search', token_type: null, context_window: null, model: null, service_tier: null }),
      description: `${model} Usage - ${kind}`,
      workspace_id: null,
    }));
    return {
      data: [{ starting_at: instant(from), ending_at: instant(from + dayMs), results }],
      has_more: false,
      next_page: null,
    };
  }

  /** https://platform.claude.com/docs/en/api/admin/usage_report/retrieve_messages */
  @Get('anthropic-messages/organizations/usage_report/messages')
  anthropicUsage(@Query() query: Queried, @Req() { headers }: Asked): object {
    demandAdministrator(headers['x-api-key'], 'sk-ant-admin');
    const from = Date.parse(String(query.starting_at));
    const { buckets, next } = this.minutes('anthropic', from, Date.parse(String(query.ending_at)), query);
    const data = buckets.map(({ at, requests }) => ({
      starting_at: instant(at),
      ending_at: instant(at + minuteMs),
      results: byModel(requests).map(([model, all]) => ({
        model,
        uncached_input_tokens: sumOf(all, 'input'),
        cache_read_input_tokens: sumOf(all, 'cachedInput'),
        cache_creation: {
          ephemeral_5m_input_tokens: sumOf(all, 'cacheWrite5m'),
          ephemeral_1h_input_tokens: sumOf(all, 'cacheWrite1h'),
        },
        output_tokens: sumOf(all, 'output'),
        server_tool_use: { web_search_requests: all.reduce((sum, { use }) => sum + (use.units.webSearch ?? 0), 0) },
      })),
    }));
    return { data, has_more: next !== null, next_page: next };
  }

  /** The bill of a day as a file that tells single requests. */
  @Get('control/invoice.csv')
  invoice(@Query('seller') seller: Seller, @Query('day') day: string): string {
    const from = Date.parse(`${day}T00:00:00Z`);
    const lines = this.bills.requests(seller, from, from + dayMs).flatMap(({ requestId, model, use, charge }) =>
      Object.entries(charge).map(([kind, picoUsd]) => {
        return [day, model, kind, dollarsOf(picoUsd), quantityOf(use, kind), requestId].join(',');
      }),
    );
    return ['day,model,kind,usd,quantity,request_id', ...lines, ''].join('\n');
  }

  /** Plants differences. */
  @Post('control/bills')
  @HttpCode(204)
  plant(@Req() { body }: { body: unknown }): void {
    const planted = planting.safeParse(JSON.parse(String(body)));
    if (!planted.success) throw new BadRequestException(z.prettifyError(planted.error));
    this.bills.plant(planted.data);
  }

  /** A page of minutes, and what OpenAI tells of each model in them. */
  private openaiMinutes(
    query: Queried,
    headers: IncomingHttpHeaders,
    asked: BilledRequest['kind'],
    told: (all: readonly BilledRequest[]) => object,
  ): object {
    demandAdministrator(headers.authorization, 'Bearer sk-admin');
    const { buckets, next } = this.minutes('openai', openaiStart(query), Number(query.end_time) * 1_000, query);
    return openaiPage(
      buckets.map(({ at, requests }) => ({
        from: at,
        to: at + minuteMs,
        results: byModel(requests.filter(({ kind }) => kind === asked)).map(([model, all]) => ({
          ...told(all),
          num_model_requests: all.length,
          model,
        })),
      })),
      next,
    );
  }

  private minutes(
    seller: Seller,
    from: number,
    to: number,
    { limit, page }: Queried,
  ): { buckets: { at: number; requests: BilledRequest[] }[]; next: string | null } {
    const start = typeof page === 'string' ? Number(page.replace('page_', '')) : from;
    const end = Math.min(to, start + Number(limit ?? 60) * minuteMs);
    const all = this.bills.requests(seller, start, end);
    const buckets: { at: number; requests: BilledRequest[] }[] = [];
    for (let at = start; at < end; at += minuteMs)
      buckets.push({ at, requests: all.filter((each) => each.at >= at && each.at < at + minuteMs) });
    return { buckets, next: end < to ? `page_${end}` : null };
  }
}

/** Keys of projects are refused here; none at all is welcome, as everywhere in the sandbox. */
function demandAdministrator(credential: string | string[] | undefined, begin: string): void {
  if (credential !== undefined && !String(credential).startsWith(begin))
    throw new UnauthorizedException({ error: { message: 'This API takes the key of an administrator.' } });
}

function openaiStart({ start_time: start }: Queried): number {
  return Number(start) * 1_000;
}

function openaiPage(buckets: { from: number; to: number; results: object[] }[], next: string | null): object {
  const data = buckets.map(({ from, to, results }) => ({
    object: 'bucket',
    start_time: from / 1_000,
    end_time: to / 1_000,
    results,
  }));
  return { object: 'page', data, has_more: next !== null, next_page: next };
}

function byModel(requests: readonly BilledRequest[]): [string, BilledRequest[]][] {
  const models = [...new Set(requests.map(({ model }) => model))];
  return models.map((model) => [model, requests.filter((each) => each.model === model)]);
}

function sumOf(requests: readonly BilledRequest[], kind: TokenKind): number {
  return requests.reduce((sum, { use }) => sum + use[kind], 0);
}

function isAnthropics(kind: string): kind is keyof typeof anthropicTypes {
  return kind in anthropicTypes;
}

function quantityOf(use: BookedUse, kind: string): number {
  if (isTokenKind(kind)) return use[kind];
  return kind === 'request' ? 1 : (use.units[kind] ?? 0);
}

function instant(atMs: number): string {
  return new Date(atMs).toISOString();
}

/** A decimal text in cents, every place of it. */
function centsOf(picoUsd: bigint): string {
  return `${picoUsd / 10_000_000_000n}.${String(picoUsd % 10_000_000_000n).padStart(10, '0')}`;
}

function dollarsOf(picoUsd: bigint): string {
  return `${picoUsd / 1_000_000_000_000n}.${String(picoUsd % 1_000_000_000_000n).padStart(12, '0')}`;
}

import { Controller, Get, Headers, Param, Query, UseGuards } from '@nestjs/common';
import { CurrentCaller, KeyGuard } from '../callers/key.guard';
import type { Caller } from '../callers/authenticator';
import { RequestLimitGuard } from '../admission/request-limit.guard';
import { toAnthropicList, toAnthropicModel } from './anthropic-models';
import { codexListQuery, toCodexList } from './codex-models';
import { ModelCatalog } from './model-catalog';
import type { ModelEntry } from './model-entry';
import { toModelEntry } from './model-entry';

const versionHeader = 'anthropic-version';

/**
 * The live catalog, as far as the calling key may use it: in Anthropic's shape for callers that name a
 * version of its API, in Codex's for those that name theirs of it, else in OpenAI's.
 */
@Controller('v1/models')
@UseGuards(KeyGuard, RequestLimitGuard)
export class ModelsController {
  constructor(private readonly catalog: ModelCatalog) {}

  @Get()
  list(
    @CurrentCaller() { key }: Caller,
    @Headers(versionHeader) version: string | undefined,
    @Query() query: unknown,
  ): { object: 'list'; data: ModelEntry[] } | ReturnType<typeof toAnthropicList> | ReturnType<typeof toCodexList> {
    const models = this.catalog.list(key);
    if (version !== undefined) return toAnthropicList(models, query);
    const isCodex = codexListQuery.safeParse(query).data?.client_version !== undefined;
    return isCodex ? toCodexList(models) : { object: 'list', data: models.map(toModelEntry) };
  }

  /** Ids hold slashes, plain or as %2F: everything after /v1/models/ is the id. */
  @Get('*')
  one(
    @CurrentCaller() { key }: Caller,
    @Headers(versionHeader) version: string | undefined,
    @Param('*') id: string,
  ): ModelEntry | ReturnType<typeof toAnthropicModel> {
    const { model } = this.catalog.resolve(id, key);
    return version === undefined ? toModelEntry(model) : toAnthropicModel(model);
  }
}

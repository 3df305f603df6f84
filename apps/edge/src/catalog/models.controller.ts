import { Controller, Get, Header, Headers, Param, Query, UseGuards } from '@nestjs/common';
import { CurrentCaller, KeyGuard } from '../callers/key.guard';
import type { Caller } from '../callers/authenticator';
import { RequestLimitGuard } from '../admission/request-limit.guard';
import { toAnthropicList, toAnthropicModel } from './anthropic-models';
import { codexListQuery, toCodexList } from './codex-models';
import { ModelCatalog } from './model-catalog';
import type { ModelEntry } from './model-entry';
import { toModelEntry } from './model-entry';
import { WrittenList } from './written-list';

const versionHeader = 'anthropic-version';

/**
 * The live catalog, as far as the calling key may use it: in Anthropic's shape for callers that name a
 * version of its API, in Codex's for those that name theirs of it, else in OpenAI's.
 */
@Controller('v1/models')
@UseGuards(KeyGuard, RequestLimitGuard)
export class ModelsController {
  private readonly entries = new WrittenList((models) => ({ object: 'list', data: models.map(toModelEntry) }));
  private readonly codexList = new WrittenList(toCodexList);

  constructor(private readonly catalog: ModelCatalog) {}

  @Get()
  @Header('content-type', 'application/json; charset=utf-8')
  list(
    @CurrentCaller() { key }: Caller,
    @Headers(versionHeader) version: string | undefined,
    @Query() query: unknown,
  ): Buffer | ReturnType<typeof toAnthropicList> {
    const models = this.catalog.list(key);
    if (version !== undefined) return toAnthropicList(models, query);
    const isCodex = codexListQuery.safeParse(query).data?.client_version !== undefined;
    return (isCodex ? this.codexList : this.entries).of(models);
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

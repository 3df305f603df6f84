import { Controller, Get, Header, Headers, Param, Query, UseGuards } from '@nestjs/common';
import type { CatalogModel } from '@tollgate/contracts/catalog';
import { CurrentCaller, KeyGuard } from '../callers/key.guard';
import type { Caller } from '../callers/authenticator';
import { RequestLimitGuard } from '../admission/request-limit.guard';
import { toAnthropicList, toAnthropicModel } from './anthropic-models';
import { codexListQuery, toCodexList } from './codex-models';
import { ModelCatalog } from './model-catalog';
import { type ModelEntry, toModelEntry } from './model-entry';

/** Keys may see different models; a quarter of a megabyte each. */
const mostKept = 8;

/**
 * A list of models as JSON. It is written once for those that have the same models in it, as clients ask for
 * it at each start and hardly any two differ: a quarter of a megabyte with all prices, and everybody waited
 * while one caller asked 150 times a second.
 */
export class WrittenList {
  /** The one that was asked for last stands first. */
  private written: readonly { readonly models: readonly CatalogModel[]; readonly text: Buffer }[] = [];

  constructor(private readonly form: (models: readonly CatalogModel[]) => object) {}

  /** The list of these models, of which a newer catalog holds new ones. */
  of(models: readonly CatalogModel[]): Buffer {
    const known = this.written.find((list) => isSame(list.models, models));
    const list = known ?? { models, text: Buffer.from(JSON.stringify(this.form(models))) };
    this.written = [list, ...this.written.filter((other) => other !== list)].slice(0, mostKept);
    return list.text;
  }
}

function isSame(one: readonly CatalogModel[], other: readonly CatalogModel[]): boolean {
  return one.length === other.length && one.every((model, index) => model === other[index]);
}

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
    if (version !== undefined) return toAnthropicList({ models, providers: this.catalog.snapshot().providers }, query);
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
    return version === undefined ? toModelEntry(model) : toAnthropicModel(model, this.catalog.snapshot().providers);
  }
}

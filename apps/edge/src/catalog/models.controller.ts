import { Controller, Get, Param, UseGuards } from '@nestjs/common';
import { CurrentCaller, KeyGuard } from '../callers/key.guard';
import type { Caller } from '../callers/authenticator';
import { RequestLimitGuard } from '../admission/request-limit.guard';
import { ModelCatalog } from './model-catalog';
import type { ModelEntry } from './model-entry';
import { toModelEntry } from './model-entry';

/** The live catalog, as far as the calling key may use it. */
@Controller('v1/models')
@UseGuards(KeyGuard, RequestLimitGuard)
export class ModelsController {
  constructor(private readonly catalog: ModelCatalog) {}

  @Get()
  list(@CurrentCaller() { key }: Caller): { object: 'list'; data: ModelEntry[] } {
    return { object: 'list', data: this.catalog.list(key).map(toModelEntry) };
  }

  /** Ids hold slashes, plain or as %2F: everything after /v1/models/ is the id. */
  @Get('*')
  one(@CurrentCaller() { key }: Caller, @Param('*') id: string): ModelEntry {
    return toModelEntry(this.catalog.resolve(id, key));
  }
}

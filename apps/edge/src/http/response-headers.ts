import { Injectable } from '@nestjs/common';
import { ModelCatalog } from '../catalog/model-catalog';
import type { RequestContext } from './request-context';

/** The headers that every response carries, whoever writes it. */
@Injectable()
export class ResponseHeaders {
  /** Set when edge stops: each answer then also ends its connection, so that callers go elsewhere. */
  isStopping = false;

  constructor(private readonly catalog: ModelCatalog) {}

  /** In an object of the receiver's own. */
  of(context: RequestContext): Record<string, string> {
    const headers = context.headers(this.catalog.isSandbox);
    if (this.isStopping) headers['connection'] = 'close';
    return headers;
  }
}

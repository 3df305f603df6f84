import { Injectable } from '@nestjs/common';
import { ModelCatalog } from '../catalog/model-catalog';
import { keepAliveHeader } from './keep-alive';
import type { RequestContext } from './request-context';

/** The headers that every response carries, whoever writes it. */
@Injectable()
export class ResponseHeaders {
  /** Set when edge stops: each answer then also ends its connection, so that callers go elsewhere. */
  isStopping = false;

  constructor(private readonly catalog: ModelCatalog) {}

  /** In an object of the receiver's own. */
  of(context: RequestContext): Record<string, string> {
    const headers = this.ofLast(context);
    if (this.isStopping) headers['connection'] = 'close';
    else headers['keep-alive'] = keepAliveHeader;
    return headers;
  }

  /** Of an answer that no other follows on its connection. */
  ofLast(context: RequestContext): Record<string, string> {
    return context.headers(this.catalog.isSandbox);
  }
}

import { Injectable } from '@nestjs/common';
import { Echo } from '@tollgate/messaging';
import type { ReadinessCheck } from '@tollgate/observability';
import { ModelCatalog } from '../catalog/model-catalog';
import { ResponseHeaders } from '../http/request-context';
import { MessagingLink } from '../messaging-link';

/** What edge needs before it can serve. */
@Injectable()
export class Readiness {
  readonly checks: Record<'nats' | 'catalog' | 'accepting', ReadinessCheck>;

  constructor(link: MessagingLink, echo: Echo, catalog: ModelCatalog, headers: ResponseHeaders) {
    this.checks = {
      nats: () => link.isUp && !echo.isDoubled,
      catalog: () => catalog.isReady,
      accepting: () => !headers.isStopping,
    };
  }
}

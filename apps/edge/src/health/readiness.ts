import { Injectable } from '@nestjs/common';
import type { ReadinessCheck } from '@tollgate/observability';
import { ModelCatalog } from '../catalog/model-catalog';
import { ResponseHeaders } from '../http/response-headers';
import { MessagingLink } from '../messaging-link';

/** What edge needs before it can serve. */
@Injectable()
export class Readiness {
  readonly checks: Record<string, ReadinessCheck>;

  constructor(link: MessagingLink, catalog: ModelCatalog, headers: ResponseHeaders) {
    this.checks = {
      nats: () => link.isUp,
      catalog: () => catalog.isReady,
      accepting: () => !headers.isStopping,
    };
  }
}

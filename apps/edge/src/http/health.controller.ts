import { Controller, Get, HttpCode, Res, Injectable } from '@nestjs/common';
import { missingParts, type ReadinessCheck } from '@tollgate/observability';
import { Echo } from '@tollgate/messaging';
import { ModelCatalog } from '../catalog/model-catalog';
import { ResponseHeaders } from './request-context';
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

/** Liveness and readiness on the public port, for load balancers; they need no key. */
@Controller()
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  @Get('livez')
  live(): { status: string } {
    return { status: 'ok' };
  }

  @Get('readyz')
  @HttpCode(200)
  async ready(
    @Res({ passthrough: true }) reply: { status(code: number): unknown },
  ): Promise<{ status: string; missing?: string[] }> {
    const missing = await missingParts(this.readiness.checks);
    if (missing.length === 0) return { status: 'ok' };
    reply.status(503);
    return { status: 'unavailable', missing };
  }
}

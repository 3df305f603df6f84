import { Controller, Get, HttpCode, Res } from '@nestjs/common';
import { missingParts } from '@tollgate/observability';
import { Readiness } from './readiness';

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

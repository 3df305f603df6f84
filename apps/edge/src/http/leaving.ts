import { Injectable } from '@nestjs/common';
import type { BeforeApplicationShutdown, OnModuleDestroy } from '@nestjs/common';
import { NatsGenerationClient, UsagePublisher } from '@tollgate/messaging';
import { setTimeout as sleep } from 'node:timers/promises';
import { LeaseRounds } from '../admission/leases/lease-rounds';
import { ContentLogging } from '../content-log/content-logging';
import { OpenGenerations } from '../callers/open-by-key';
import { BackgroundWorks } from '../responses/background/background-works';
import { EventStreams } from '../responses/background/event-streams';
import { ResponsesSockets } from '../responses/socket/responses-sockets';
import { Refusals } from '../errors/refusals';
import { Settings } from '../settings';
import { EdgeServer } from './edge-server';
import { ResponseHeaders } from './request-context';

/** How long usage events and logged requests may take to be stored at the very end. */
const flushMs = 10_000;

/**
 * How edge leaves. It says that it is not ready, and for a grace still takes what comes, each answer ending
 * its connection: load balancers and callers leave before nobody listens any more. Then it takes no new
 * connections, finishes what runs, gives leases back and has all usage stored.
 *
 * Requests are answered in both phases, so that what they need ends in `onApplicationShutdown`, never before.
 */
@Injectable()
export class Leaving implements OnModuleDestroy, BeforeApplicationShutdown {
  constructor(
    private readonly settings: Settings,
    private readonly headers: ResponseHeaders,
    private readonly server: EdgeServer,
    private readonly generations: OpenGenerations,
    private readonly works: BackgroundWorks,
    private readonly streams: EventStreams,
    private readonly sockets: ResponsesSockets,
    private readonly leases: LeaseRounds,
    private readonly usage: UsagePublisher,
    private readonly contentLog: ContentLogging,
    private readonly refusals: Refusals,
    private readonly client: NatsGenerationClient,
  ) {}

  async onModuleDestroy(): Promise<void> {
    this.headers.isStopping = true;
    await sleep(this.settings.stopGraceMs);
  }

  async beforeApplicationShutdown(): Promise<void> {
    const { works, generations, usage } = this;
    works.drain();
    this.streams.drain();
    this.sockets.drain();
    await this.server.drain(() => generations.count > 0, this.settings.drainMs);
    works.handOver();
    generations.cancelAll();
    await works.close(flushMs);
    await this.leases.close();
    const counted = this.refusals.tell().catch(() => undefined);
    await Promise.all([usage.flush(flushMs), this.contentLog.close(flushMs), counted]);
    usage.close();
    this.client.close();
    this.sockets.cut();
    this.server.cut();
  }
}

import { Inject, Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import { accountsHeartbeat, accountsSubjects, keyChanged } from '@tollgate/contracts/accounts';
import type { z } from 'zod';
import { Link, subscribeJson } from '@tollgate/messaging';
import type { Logger } from '@tollgate/observability';
import { LOGGER, NATS } from '@tollgate/service';
import type { NatsConnection } from 'nats';
import { KeyDirectory } from './key-directory';

type AccountsHeartbeat = z.output<typeof accountsHeartbeat>;

/** Feeds the key directory with what accounts tells, and tells it when that may not be heard. */
@Injectable()
export class KeyNotices implements OnModuleInit {
  constructor(
    @Inject(NATS) private readonly connection: NatsConnection,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly directory: KeyDirectory,
  ) {}

  onModuleInit(): void {
    const { connection, directory, logger } = this;
    const { keyChanged: subject, heartbeat } = accountsSubjects;
    subscribeJson(connection, subject, keyChanged, (notice) => directory.change(notice), logger);
    const beat = ({ revision, importedKeys }: AccountsHeartbeat): void => directory.heartbeat(revision, importedKeys);
    subscribeJson(connection, heartbeat, accountsHeartbeat, beat, logger);
    new Link(connection, { lost: () => directory.disconnected(), restored: () => undefined });
  }
}

import { readEnvironment, serviceVariables } from '@tollgate/configuration';
import { ServiceSettings } from '@tollgate/service';

/** How this instance runs. */
export class MeteringSettings extends ServiceSettings {
  /** Whole months of usage events that are kept beside the current one; null: all, for ever. */
  readonly retentionMonths: number | null;
  /** Bytes of responses and conversations that an account may have stored. */
  readonly storedBytes: number;
  /** Of the streams in JetStream; null: as its cluster is. */
  readonly copies: number | null;
  /**
   * How long a connection to Postgres is waited for, and a statement of an operation. Callers wait two
   * seconds for an answer: they should hear sooner that Postgres is away.
   */
  readonly operationTimes = { connectTimeoutMs: 1_000, statementTimeoutMs: 1_500 };

  /** @throws EnvironmentError naming every variable at fault. */
  constructor(environment: NodeJS.ProcessEnv = process.env) {
    const values = readEnvironment(serviceVariables.metering, environment);
    super(values);
    this.retentionMonths = values.METERING_RETENTION_MONTHS;
    this.storedBytes = values.METERING_STORED_BYTES;
    this.copies = values.NATS_REPLICAS;
  }
}

import type { PreparedData } from '@tollgate/testing';
import type { Layout } from './launcher-variables';
import type { ServiceName } from './service-plan';

export interface StackOptions {
  /** Holds everything the stack keeps: databases, secrets, logs. Made when missing. */
  dataFolder: string;
  /** How many processes of each service; one where nothing is said. */
  instances?: Partial<Record<ServiceName, number>>;
  /**
   * `compact`: accounts, catalog and metering share a process, and the embedded servers are small. Absent:
   * `split`, a process for each.
   */
  layout?: Layout;
  /** The port of the first edge; every port that is not given is a free one. */
  port?: number;
  sandboxPort?: number;
  postgresPort?: number;
  natsPort?: number;
  /** Where the embedded nats-server tells its counts. Absent: nowhere. */
  natsMonitorPort?: number;
  /** Internal port of each service's first process. */
  internalPorts?: Partial<Record<ServiceName, number>>;
  /** Existing servers to use instead of embedded ones. */
  databaseUrl?: string;
  natsUrl?: string;
  /** The address of NATS for processes that reach it by a way of their own, by process name (`edge-2`). */
  natsUrls?: Readonly<Record<string, string>>;
  /** Certificates (PEM) that sign the existing NATS server's. */
  natsCa?: string;
  /** The secret in every key's digest. Absent: made at the first start and kept in the data folder. */
  pepper?: string;
  /** What keys of providers are sealed under. Absent: made at the first start and kept in the data folder. */
  keyEncryptionKey?: string;
  /** What makes the first administrator. Absent: made at the first start and kept in the data folder. */
  bootstrapSecret?: string;
  /** Where people find the dashboard. Absent: the address of the first edge. */
  publicUrl?: string;
  /** Where the bundles of services are, as `dist/apps/<service>/main.js` below it. Absent: this checkout. */
  bundles?: string;
  /** The Node.js that runs the services. Absent: that of this process. */
  node?: string;
  /** False: the simulated providers are not started. */
  sandbox?: boolean;
  /** False: the embedded Postgres may lose its last writes when the machine fails; faster, for tests. */
  durable?: boolean;
  /** What a new embedded Postgres that is not durable begins with. Absent: nothing. */
  prepared?: PreparedData;
  /**
   * Environment of every service, beside what the stack itself sets. Nothing is inherited from this process
   * but PATH and HOME.
   */
  environment?: NodeJS.ProcessEnv;
  /** Hears what happens, a line at a time. */
  onProgress?: (line: string) => void;
  /** Called whenever a process id changed. */
  onChange?: () => void;
}

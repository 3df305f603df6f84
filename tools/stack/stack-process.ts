/** One process of a running stack: a service's instance, or a server under them. */
export interface StackProcess {
  /** `edge`, `edge-2`, `nats`, `postgres`, … */
  readonly name: string;
  /** The id of the running process; null while it is down. */
  readonly pid: number | null;
  readonly logFile: string;
  /** The base addresses of health and metrics, of each service in it; none for NATS and Postgres. */
  readonly internalUrls: readonly string[];
  /** Sends a signal. A process that ends by it is started again by the stack, after a short while. */
  kill(signal: NodeJS.Signals): void;
  /** Waits until it runs and is ready. Rejects with a StackError when it does not get there. */
  ready(): Promise<void>;
  /** Stops it in order and starts it again at once; resolves when it is ready. */
  restart(): Promise<void>;
  /** Stops it for good, unless it is started again by hand. */
  stop(): Promise<void>;
  /** Starts one that was stopped; resolves when it is ready. */
  startAgain(): Promise<void>;
}

/** Hears of the processes of a stack. */
export interface ProcessListener {
  /** A process id changed. */
  changed(): void;
  /** A process ended unasked; `message` is a sentence for people. */
  crashed(message: string): void;
}

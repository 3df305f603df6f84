import { Client } from 'pg';

/**
 * Whether Postgres answers, asked over a connection of its own: who waits for one of a pool learns how busy a
 * service is, and not whether its database is there.
 */
export class DatabasePulse {
  private client: Client | null = null;
  private asking: Promise<boolean> | null = null;

  /** `patienceMs`: how long a connection may take, and an answer, milliseconds. */
  constructor(
    private readonly url: string,
    private readonly name: string,
    private readonly patienceMs: number,
  ) {}

  /** Those who ask at once share one answer. Never rejects. */
  answers(): Promise<boolean> {
    this.asking ??= this.ask().finally(() => (this.asking = null));
    return this.asking;
  }

  /** Closes the connection. */
  async end(): Promise<void> {
    await this.asking;
    await this.drop();
  }

  private async ask(): Promise<boolean> {
    try {
      this.client ??= await this.connect();
      await this.client.query('SELECT 1');
      return true;
    } catch {
      await this.drop();
      return false;
    }
  }

  private async connect(): Promise<Client> {
    const client = new Client({
      connectionString: this.url,
      application_name: this.name,
      connectionTimeoutMillis: this.patienceMs,
      query_timeout: this.patienceMs,
      keepAlive: true,
    });
    // One that is lost while idle is opened anew by the next question.
    client.on('error', () => {
      if (this.client === client) this.client = null;
    });
    await client.connect();
    return client;
  }

  private async drop(): Promise<void> {
    const { client } = this;
    this.client = null;
    await client?.end().catch(() => undefined);
  }
}

import type { Logger } from '@tollgate/observability';
import { createTransport } from 'nodemailer';
import type { Storage } from '../storage/storage';

const everyMs = 2_000;
/** The wait before another attempt doubles from a minute on; the last attempt comes after about two days. */
const firstWaitMs = 60_000;
const mostAttempts = 12;
/** Who sends a mail keeps others from it for this long. */
const claimMs = 120_000;
const connectTimeoutMs = 10_000;

interface Due {
  id: string;
  recipient: string;
  subject: string;
  body: string;
  attempts: number;
}

/** Sends what is in the outbox, each mail by one instance. A mail may arrive twice when an instance dies between sending it and noting that. */
export class MailSender {
  private readonly transport;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly storage: Storage,
    private readonly smtp: { url: string; from: string },
    private readonly logger: Logger,
  ) {
    this.transport = createTransport({
      url: smtp.url,
      connectionTimeout: connectTimeoutMs,
      greetingTimeout: connectTimeoutMs,
      socketTimeout: connectTimeoutMs,
    });
  }

  start(): void {
    let busy = false;
    this.timer = setInterval(() => {
      if (busy) return;
      busy = true;
      this.running = this.sendDue().finally(() => (busy = false));
    }, everyMs);
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
    this.transport.close();
  }

  private async sendDue(): Promise<void> {
    try {
      for (let mail = await this.claim(); mail; mail = await this.claim()) await this.send(mail);
    } catch (error) {
      this.logger.warn({ err: error }, 'mails could not be sent; trying again shortly');
    }
  }

  private claim(): Promise<Due | undefined> {
    return this.storage.transaction(async (queries) => {
      const [due] = await queries.$queryRaw<Due[]>`
        SELECT id, recipient, subject, body, attempts FROM mail WHERE due_at <= now() ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED`;
      if (!due) return undefined;
      const attempts = due.attempts + 1;
      const dueAt = new Date(Date.now() + claimMs);
      await queries.mail.update({ where: { id: due.id }, data: { attempts, dueAt } });
      return { ...due, attempts };
    });
  }

  private async send({ id, recipient, subject, body, attempts }: Due): Promise<void> {
    const outcome = await this.deliver(recipient, subject, body);
    const waitMs = firstWaitMs * 2 ** (attempts - 1);
    const dueAt = attempts < mostAttempts ? new Date(Date.now() + waitMs) : null;
    const data =
      outcome === null
        ? // The links in it are nobody's business any more.
          { sentAt: new Date(), dueAt: null, problem: null, body: '' }
        : { dueAt, problem: outcome };
    await this.storage.read((queries) => queries.mail.update({ where: { id }, data }));
  }

  /** What went wrong; null when the server took the mail. */
  private async deliver(to: string, subject: string, text: string): Promise<string | null> {
    try {
      await this.transport.sendMail({ from: this.smtp.from, to: { name: '', address: to }, subject, text });
      return null;
    } catch (error) {
      this.logger.warn({ err: error }, 'the mail server did not take a mail');
      return error instanceof Error ? error.message.slice(0, 500) : 'unknown';
    }
  }
}

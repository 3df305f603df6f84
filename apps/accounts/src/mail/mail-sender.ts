import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from '@tollgate/observability';
import { LOGGER, PeriodicWork } from '@tollgate/service';
import { createTransport, type SendMailOptions, type Transporter } from 'nodemailer';
import { AccountsSettings } from '../settings';
import { Storage } from '../storage';

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

/**
 * Sends what is in the outbox, each mail by one instance. A mail may arrive twice when an instance dies
 * between sending it and noting that.
 */
@Injectable()
export class MailSender implements OnApplicationShutdown {
  /** Null: there is no mail server. */
  private readonly transport: Transporter | null;

  constructor(
    private readonly storage: Storage,
    { people: { smtp } }: AccountsSettings,
    work: PeriodicWork,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.transport =
      smtp &&
      createTransport(
        {
          url: smtp.url,
          connectionTimeout: connectTimeoutMs,
          greetingTimeout: connectTimeoutMs,
          socketTimeout: connectTimeoutMs,
        },
        { from: smtp.from },
      );
    const { transport } = this;
    const onFailure = (err: unknown): void => logger.warn({ err }, 'mails could not be sent; trying again shortly');
    if (transport) work.add({ name: 'mails', everyMs, run: () => this.sendDue(transport), onFailure });
  }

  onApplicationShutdown(): void {
    this.transport?.close();
  }

  private async sendDue(transport: Transporter): Promise<void> {
    for (let mail = await this.claim(); mail; mail = await this.claim()) await this.send(transport, mail);
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

  private async send(transport: Transporter, { id, recipient, subject, body, attempts }: Due): Promise<void> {
    const outcome = await this.deliver(transport, { to: { name: '', address: recipient }, subject, text: body });
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
  private async deliver(transport: Transporter, mail: SendMailOptions): Promise<string | null> {
    try {
      await transport.sendMail(mail);
      return null;
    } catch (error) {
      this.logger.warn({ err: error }, 'the mail server did not take a mail');
      return error instanceof Error ? error.message.slice(0, 500) : 'unknown';
    }
  }
}

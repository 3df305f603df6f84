import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from '@tollgate/observability';
import { LOGGER, PeriodicWork } from '@tollgate/service';
import { createTransport, type SendMailOptions, type Transporter } from 'nodemailer';
import { dueAgain, outgoingEveryMs, problemOf, sendDue, type Claimed } from '../outgoing';
import { AccountsSettings } from '../settings';
import { Storage } from '../storage';

const connectTimeoutMs = 10_000;

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
    const failure = 'mails could not be sent; trying again shortly';
    if (!transport) return;
    const run = (): Promise<void> => sendDue(storage, 'mail', (due) => this.send(transport, due));
    work.add({ name: 'mails', everyMs: outgoingEveryMs, run, failure });
  }

  onApplicationShutdown(): void {
    this.transport?.close();
  }

  private async send(transport: Transporter, { id, attempts }: Claimed): Promise<void> {
    const mail = await this.storage.read((queries) => queries.mail.findUnique({ where: { id } }));
    // It has become too old meanwhile.
    if (!mail) return;
    const { recipient, subject, body } = mail;
    const outcome = await this.deliver(transport, { to: { name: '', address: recipient }, subject, text: body });
    const data =
      outcome === null
        ? // The links in it are nobody's business any more.
          { sentAt: new Date(), dueAt: null, problem: null, body: '' }
        : { dueAt: dueAgain(attempts), problem: outcome };
    await this.storage.read((queries) => queries.mail.update({ where: { id }, data }));
  }

  /** What went wrong; null when the server took the mail. */
  private async deliver(transport: Transporter, mail: SendMailOptions): Promise<string | null> {
    try {
      await transport.sendMail(mail);
      return null;
    } catch (error) {
      this.logger.warn({ err: error }, 'the mail server did not take a mail');
      return problemOf(error);
    }
  }
}

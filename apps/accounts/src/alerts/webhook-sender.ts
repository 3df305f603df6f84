import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from '@tollgate/observability';
import { LOGGER, PeriodicWork } from '@tollgate/service';
import { Agent, request } from 'undici';
import { dueAgain, outgoingEveryMs, problemOf, sendDue, type Claimed } from '../outgoing';
import { alertMail } from '../mail/mail-texts';
import { Outbox } from '../mail/outbox';
import { AccountsSettings } from '../settings';
import { Storage } from '../storage';
import { lookupWebhook, mailAddress, webhookAddress } from './webhook-address';
import { WebhookSecrets } from './webhook-secrets';

const timeoutMs = 10_000;
/** Of an answer nothing is read, and more than this is not waited for. */
const mostAnswerBytes = 65_536;
/** So many are on their way at once: one receiver that hangs does not hold up the rest. */
const lanes = 4;

/** How an attempt ended. `problem` null: the receiver took it. */
interface Outcome {
  status: number | null;
  problem: string | null;
}

interface MailedWebhook {
  id: string;
  name: string;
  sealedUrl: string;
}

/**
 * Sends alerts to webhooks, each by one instance, until the receiver answers 2xx. One may arrive twice, with
 * the same id: when an instance dies before it noted the answer, or the answer came too late. What goes out
 * as a mail has arrived for us when it is in the outbox.
 */
@Injectable()
export class WebhookSender implements OnApplicationShutdown {
  private readonly toInternet = new Agent({ connect: { lookup: lookupWebhook, timeout: timeoutMs } });
  private readonly toPrivate = new Agent({ connect: { timeout: timeoutMs } });

  constructor(
    private readonly storage: Storage,
    private readonly secrets: WebhookSecrets,
    private readonly settings: AccountsSettings,
    private readonly outbox: Outbox,
    work: PeriodicWork,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    const failure = 'alerts could not be sent; trying again shortly';
    const run = (): Promise<void> => sendDue(storage, 'webhookDelivery', (due) => this.send(due), lanes);
    work.add({ name: 'webhooks', everyMs: outgoingEveryMs, run, failure });
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.toInternet.destroy(), this.toPrivate.destroy()]);
  }

  private async send({ id, attempts }: Claimed): Promise<void> {
    const delivery = await this.storage.read((queries) =>
      queries.webhookDelivery.findUnique({ where: { id }, include: { webhook: true } }),
    );
    // The webhook was removed meanwhile, and this with it.
    if (!delivery) return;
    const { body, webhook } = delivery;
    const outcome = webhook.form === 'mail' ? await this.mail(body, webhook) : await this.post(id, body, webhook);
    const data =
      outcome.problem === null
        ? { ...outcome, deliveredAt: new Date(), dueAt: null }
        : { ...outcome, dueAt: dueAgain(attempts) };
    await this.storage.read((queries) => queries.webhookDelivery.updateMany({ where: { id }, data }));
  }

  /** Writes it to the outbox, from which mails are sent. */
  private async mail(body: string, { id, name, sealedUrl }: MailedWebhook): Promise<Outcome> {
    try {
      const address = mailAddress(this.secrets.open(id, sealedUrl));
      await this.storage.read((queries) => this.outbox.add(queries, address, alertMail(body, name)));
      return { status: null, problem: null };
    } catch (error) {
      this.logger.warn({ err: error, webhook: id }, 'an alert could not be written as a mail');
      return { status: null, problem: problemOf(error) };
    }
  }

  private async post(id: string, body: string, webhook: { id: string; sealedUrl: string }): Promise<Outcome> {
    try {
      const { webhookPrivateHosts: privateHosts } = this.settings;
      const url = webhookAddress(this.secrets.open(webhook.id, webhook.sealedUrl), privateHosts);
      const atS = Math.floor(Date.now() / 1_000);
      const answer = await request(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'user-agent': 'tollgate',
          'webhook-id': id,
          'webhook-timestamp': String(atS),
          'webhook-signature': this.secrets.signature(webhook.id, id, atS, body),
        },
        body,
        dispatcher: privateHosts.includes(url.hostname) ? this.toPrivate : this.toInternet,
        signal: AbortSignal.timeout(timeoutMs),
      });
      const { statusCode: status } = answer;
      await answer.body.dump({ limit: mostAnswerBytes });
      // Nobody follows a redirect: it could lead anywhere.
      return { status, problem: status >= 200 && status < 300 ? null : `The receiver answered ${status}.` };
    } catch (error) {
      this.logger.warn({ err: error, webhook: webhook.id }, 'a webhook did not take an alert');
      return { status: null, problem: problemOf(error) };
    }
  }
}

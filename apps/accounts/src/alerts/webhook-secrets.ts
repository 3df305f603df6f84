import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { keyUnder, openText, sealText } from '@tollgate/sealing';
import { AccountsSettings } from '../settings';

/**
 * The secrets of webhooks, all under the pepper of keys, so that the database alone gives nothing away: their
 * addresses (Slack's are secrets) are sealed in it, and what deliveries are signed with follows from their
 * ids. Under another pepper, webhooks have to be made anew.
 */
@Injectable()
export class WebhookSecrets {
  private readonly pepper: string;

  constructor({ keyPepper }: AccountsSettings) {
    this.pepper = keyPepper;
  }

  seal(webhookId: string, url: string): string {
    return sealText(this.keyOf(webhookId, 'address'), url);
  }

  /** @throws Error when it was sealed for another webhook or under another pepper. */
  open(webhookId: string, sealed: string): string {
    return openText(this.keyOf(webhookId, 'address'), sealed);
  }

  /** What a receiver needs to check signatures, as Standard Webhooks writes it. */
  signingSecret(webhookId: string): string {
    return `whsec_${this.keyOf(webhookId, 'signature').toString('base64')}`;
  }

  /** The header `webhook-signature`. `atS`: the header `webhook-timestamp`. */
  signature(webhookId: string, deliveryId: string, atS: number, body: string): string {
    const mac = createHmac('sha256', this.keyOf(webhookId, 'signature')).update(`${deliveryId}.${atS}.${body}`);
    return `v1,${mac.digest('base64')}`;
  }

  private keyOf(webhookId: string, purpose: 'address' | 'signature'): Buffer {
    return keyUnder(this.pepper, `tollgate webhook ${purpose} of ${webhookId}`);
  }
}

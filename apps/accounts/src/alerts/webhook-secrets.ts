import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AccountsSettings } from '../settings';

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

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
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv(algorithm, this.keyOf(webhookId, 'address'), nonce);
    return Buffer.concat([nonce, cipher.update(url), cipher.final(), cipher.getAuthTag()]).toString('base64');
  }

  /** @throws Error when it was sealed for another webhook or under another pepper. */
  open(webhookId: string, sealed: string): string {
    const bytes = Buffer.from(sealed, 'base64');
    const end = bytes.length - tagBytes;
    const decipher = createDecipheriv(algorithm, this.keyOf(webhookId, 'address'), bytes.subarray(0, nonceBytes));
    decipher.setAuthTag(bytes.subarray(end));
    return Buffer.concat([decipher.update(bytes.subarray(nonceBytes, end)), decipher.final()]).toString();
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
    return Buffer.from(hkdfSync('sha256', this.pepper, '', `tollgate webhook ${purpose} of ${webhookId}`, 32));
  }
}

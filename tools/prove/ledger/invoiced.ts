import type { LedgerRow } from '../simulated-provider';
import { hasContract } from './billed-forms';
import type { StoredEvent } from './stored-events';

/**
 * How many events the provider's own price sheet was the judge of, and how many of them were not served in
 * the usual way, searched the web, searched files or ran programs, were sampled more than once, were answered
 * by another model than the one that was asked, were shortened before, had the rates of a long context, were
 * embeddings, were at a place of which the operator has a contract, used a prompt cache, heard sound,
 * saw pictures and films, spoke, had an image made, paid for the request, and had a provider that told its
 * charge.
 */
export type Invoiced = Record<'events' | SeenForm, number>;
type SeenForm =
  | ('served' | 'searched' | 'ran' | 'sampled' | 'declined' | 'cached')
  | ('compacted' | 'long' | 'embedded' | 'contracted')
  | ('heard' | 'saw' | 'spoke' | 'drew' | 'fee' | 'told');

export const noneInvoiced: Invoiced = {
  ...{ events: 0, served: 0, searched: 0, ran: 0, sampled: 0, declined: 0 },
  ...{ compacted: 0, long: 0, embedded: 0, contracted: 0 },
  ...{ cached: 0, heard: 0, saw: 0, spoke: 0, drew: 0, fee: 0, told: 0 },
};

/** Counts one event that the provider's sheet was the judge of. */
export function countInvoiced(invoiced: Invoiced, row: LedgerRow, { model, served }: StoredEvent): void {
  invoiced.events += 1;
  const isOne: Record<SeenForm, boolean> = {
    served: row.served.length > 0,
    searched: Boolean(row.units.webSearch),
    ran: Boolean(row.units.fileSearch || row.units.codeSession),
    sampled: row.samplings.some(({ kind }) => kind === 'advisor_message'),
    declined: row.answeredBy !== null,
    compacted: row.samplings.some(({ kind }) => kind === 'compaction'),
    long: row.model === 'claude-haiku-5-5' && row.inputTokens > 100_000,
    embedded: row.kind === 'embedding',
    contracted: hasContract(model),
    cached: row.cacheReadTokens + row.cacheWriteTokens > 0,
    heard: row.audioInputTokens > 0,
    saw: row.seen.image > 0 && row.seen.video > 0,
    spoke: row.audioOutputTokens > 0,
    drew: Boolean(row.units['gpt-image-2 image output']),
    fee: row.model === 'sonar',
    told: served.toldNanoUsd !== null,
  };
  for (const [kind, is] of Object.entries(isOne)) if (is) invoiced[kind as SeenForm] += 1;
}

/** What was seen, in words. */
export function invoicedInWords(all: Invoiced): string {
  return `${all.events} events cost what the provider’s own books and price sheet say: ${all.served} were served at another tier, speed or region, ${all.searched} searched the web, ${all.ran} searched files or ran programs, ${all.sampled} asked an adviser, ${all.declined} were answered by a fallback at the provider, ${all.compacted} were shortened before, ${all.long} had the rates of a long context, ${all.embedded} were embeddings, ${all.contracted} were at a discount and marked up, ${all.cached} used a prompt cache, ${all.heard} heard sound, ${all.saw} saw pictures and films, ${all.spoke} spoke, ${all.drew} had an image made, ${all.fee} paid for the request; of ${all.told} the provider told its charge, which is ours.`;
}

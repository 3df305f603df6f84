import type { GenerationSurface } from '@tollgate/contracts';
import type { CatalogModel } from '@tollgate/contracts/catalog';
import type { PlannedRequest, RequestKind } from '../planned-request';
import { billedForm } from './billed-forms';
import { wishFor } from './told-charges';
import { saidFor } from './wrong-slices';

const surfaces: readonly GenerationSurface[] = ['openai-chat', 'anthropic-messages', 'openai-responses'];
const faults = ['500', 'reset_mid', 'truncate', 'error_mid', '429', 'malformed', 'empty'];
/** Prompts repeat, so that what a whole answer says has to be learned once only. */
const prompts = 24;
/**
 * Long enough for a request to have arrived at the provider, also on a busy machine: one that is cut off on
 * its way there has no row in its books.
 */
const plainPatienceMs = 2_500;

/**
 * Places among 20 of requests that are charged for more than tokens at the usual rates; the third is left by
 * its caller.
 */
const billedSlots = [2, 5, 15, 9, 12];

/**
 * One request of a load over all surfaces and models, decided by its number alone. Of 20 requests 8 are
 * streams (one without usage), 7 are plain, two are left by their caller and three meet a fault of the
 * provider. Five of those without a fault are of a billed form. A caller leaves while the provider is silent:
 * what is on the wire at the moment of an abort was sent by the provider and received by nobody, and no bill
 * can be exact about it.
 */
export function mixedRequest(number: number, run: string, models: readonly CatalogModel[]): PlannedRequest {
  const slot = number % 20;
  const variant = Math.floor(number / 20) % prompts;
  const kind = kindOf(slot);
  const pieces = 1 + (variant % 8);
  const prompt = (more = ''): string =>
    `Ledger ${variant}. [[sandbox: ${`${controls(kind, variant, slot, pieces)} ${more}`.trim()}]]`;
  const usual = {
    surface: surfaces[Math.floor(number / models.length) % surfaces.length] ?? 'openai-chat',
    model: models[number % models.length]?.id ?? '',
    prompt: prompt(),
    beside: { members: {}, headers: {} },
  };
  const billedAt = billedSlots.indexOf(slot);
  const round = Math.floor(number / 20);
  const form = billedAt < 0 ? usual : billedForm(round * billedSlots.length + billedAt, variant, slot !== 15, prompt);
  return {
    id: `${run}-${number}`,
    kind,
    ...form,
    beside: { ...form.beside, headers: { ...form.beside.headers, ...saidFor(number), ...wishFor(number) } },
    stream: form.surface !== 'openai-embeddings' && isStreamed(kind, slot),
    abortAfterPieces: kind === 'stream-abort' ? pieces : null,
    abortAfterMs: kind === 'plain-abort' ? plainPatienceMs : null,
  };
}

function isStreamed(kind: RequestKind, slot: number): boolean {
  return kind === 'stream' || kind === 'stream-abort' || (kind === 'fault' && slot !== 17);
}

function kindOf(slot: number): RequestKind {
  if (slot < 8) return 'stream';
  if (slot < 15) return 'plain';
  if (slot === 15) return 'stream-abort';
  return slot === 16 ? 'plain-abort' : 'fault';
}

function controls(kind: RequestKind, variant: number, slot: number, pieces: number): string {
  switch (kind) {
    case 'stream':
      return `tokens=${12 + 2 * variant} delay_ms=${2 + (variant % 9)}${slot === 7 ? ' fault=no_usage' : ''}`;
    case 'plain':
      return `tokens=${8 + variant} first_ms=${variant * 3}`;
    case 'stream-abort':
      return `tokens=40 fault=stall at=${pieces}`;
    case 'plain-abort':
      return 'fault=hang';
    case 'fault':
      return `tokens=20 at=5 fault=${faults[(variant + slot) % faults.length]}`;
  }
}

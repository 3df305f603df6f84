import { GatewayError } from '@tollgate/contracts';
import type { ProviderCodec, SurfaceCodec } from '../canonical/codec';
import { features } from '../canonical/features';
import { translate } from '../canonical/translate';
import { surfaces } from '../surface';
import { isRecord, parseJson } from '../wire/json-value';
import { targetOf } from './targets.fixture';

/** What became of a caller's request: what the provider would get, or the 400 that the caller gets. */
export interface Attempt {
  /** The provider's body with its address, null when the request was refused. */
  upstream: { path: string; headers: Record<string, string>; body: Record<string, unknown> } | null;
  warnings: readonly string[];
  /** Null when the request was taken. */
  refusal: string | null;
}

/**
 * Sends a body the whole way, as edge and inference do. Anything thrown but a 400 is an error of ours and
 * goes on.
 */
export function attempt(surface: SurfaceCodec, provider: ProviderCodec, body: Record<string, unknown>): Attempt {
  const dialect = surfaces.find(({ name }) => name === surface.name);
  if (!dialect) throw new Error(`No surface is named ${surface.name}`);
  try {
    const bytes = Buffer.from(JSON.stringify(body));
    const { stream } = dialect.readRequest(body, bytes.length);
    const target = targetOf(provider.name, stream);
    const { request } = translate(surface, provider).prepare(bytes, target, { includeUsage: true });
    const sent = parseJson(Buffer.concat(request.body).toString());
    if (!isRecord(sent)) throw new TypeError('the upstream body is no JSON object');
    return {
      upstream: { path: request.path, headers: request.headers, body: sent },
      warnings: request.warnings,
      refusal: null,
    };
  } catch (error) {
    if (!(error instanceof GatewayError) || error.status !== 400) throw error;
    return { upstream: null, warnings: [], refusal: error.message };
  }
}

/**
 * True for a 400 that says what to change: it quotes a field, names one of the caller's, or names a feature.
 */
export function namesField(refusal: string, body: Record<string, unknown>): boolean {
  return (
    /'[^']+'/.test(refusal) ||
    features.some((feature) => refusal.startsWith(`${feature} `)) ||
    Object.keys(body).some((field) => refusal.includes(field))
  );
}

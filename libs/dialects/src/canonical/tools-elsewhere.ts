import type { DialectName, SurfaceName } from '@tollgate/contracts';
import type { UpstreamTarget } from '../provider-dialect';
import { isRecord, recordIn, textIn } from '../wire/json-value';
import { parseRequestJson } from '../wire/request-json';

/** The dialect in which a provider must be asked what a caller asks, by the provider's own rules; null: in the usual one. The body is read only where a rule holds for the model, which is asked for no effort only where it takes none. */
export function dialectForTools(
  surface: SurfaceName,
  body: Uint8Array,
  { provider, model, upstreamModel }: Pick<UpstreamTarget, 'provider' | 'model' | 'upstreamModel'>,
): DialectName | null {
  const rules = provider.quirks.toolsElsewhere.filter(
    ({ dialect, models, callers }) =>
      dialect !== surface &&
      (callers === 'all' || surface !== provider.dialect) &&
      new RegExp(models).test(upstreamModel),
  );
  if (rules.length === 0) return null;
  const asked = parseRequestJson(body);
  if (!isRecord(asked)) return null;
  const effort = effortIn(asked);
  const hasTools = Array.isArray(asked.tools) && asked.tools.length > 0;
  const isPlain = effort === 'none' && (model.reasoningEfforts?.includes('none') ?? true);
  const isBound = ({ unasked, efforts }: (typeof rules)[number]) =>
    (hasTools && !isPlain && (unasked || effort !== null)) || (effort !== null && efforts.includes(effort));
  return rules.find(isBound)?.dialect ?? null;
}

/** The types of the tools that a caller's body offers, functions included. Empty: it offers none. */
export function toolTypesIn(body: Uint8Array): string[] {
  const asked = parseRequestJson(body);
  if (!isRecord(asked) || !Array.isArray(asked.tools)) return [];
  return asked.tools.flatMap((tool: unknown) => textIn(recordIn({ tool }, 'tool'), 'type') ?? []);
}

/** What chat completions and messages call the effort; null: the caller names none. */
function effortIn(body: Record<string, unknown>): string | null {
  const { effort = body.reasoning_effort } = recordIn(body, 'output_config');
  const { type } = recordIn(body, 'thinking');
  if (type === 'disabled') return 'none';
  if (typeof effort === 'string') return effort;
  return typeof type === 'string' ? type : null;
}

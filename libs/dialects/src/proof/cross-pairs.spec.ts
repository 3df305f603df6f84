import type { GenerationSurface } from '@tollgate/contracts';
import { GatewayError } from '@tollgate/contracts';
import fc from 'fast-check';
import type { ProviderCodec, SurfaceCodec } from '../canonical/codec';
import { fitRequest } from '../canonical/fit-request';
import type { FittedRequest } from '../canonical/fit-request';
import { surfaceCodecs } from '../translations';
import { essenceOf } from './essence.fixture';
import type { Essence } from './essence.fixture';
import { chatBody } from './random-chat-body.fixture';
import { messagesBody } from './random-messages-body.fixture';
import { responsesBody } from './random-responses-body.fixture';
import { pairs } from './surfaces.fixture';
import { targetOf } from './targets.fixture';

const bodies: Record<GenerationSurface, fc.Arbitrary<Record<string, unknown>>> = {
  'openai-chat': chatBody,
  'anthropic-messages': messagesBody,
  'openai-responses': responsesBody,
};

/** What the caller is told about a setting that is not kept as it is. */
const warnedOf: Readonly<Record<string, RegExp>> = {
  temperature: /temperature/,
  topP: /top.p/,
  effort: /reasoning|effort/,
  budgetTokens: /reasoning|budget/,
  maxOutputTokens: /output/,
};

const crossings = pairs.flatMap(([name, surface, provider]) => {
  const reader = surfaceCodecs.find((each) => each.name === provider.name);
  return reader && reader !== surface ? [[name, surface, provider, reader] as const] : [];
});

/** A body as a provider gets it, read again as a caller's of its dialect; null when it was refused. */
function crossed(surface: SurfaceCodec, provider: ProviderCodec, reader: SurfaceCodec, body: Record<string, unknown>) {
  const target = targetOf(provider.name, false);
  let fitted: FittedRequest;
  try {
    fitted = fitRequest(surface.fromRequest(body), provider, target);
    const { body: sent, warnings } = provider.toRequest(fitted.request, target);
    const again: Record<string, unknown> = JSON.parse(JSON.stringify({ ...sent, store: undefined }));
    return {
      asked: essenceOf(fitted.request),
      kept: essenceOf(reader.fromRequest(again)),
      warnings: [...fitted.warnings, ...warnings],
    };
  } catch (error) {
    if (error instanceof GatewayError && error.status === 400) return null;
    throw error;
  }
}

/**
 * Everything that was asked for, in the kept request; that one may say more (a name for attachments, a
 * required limit).
 */
function expectKept(
  { asked, kept, warnings }: { asked: Essence; kept: Essence; warnings: string[] },
  provider: ProviderCodec,
): void {
  expect(firstMissing(asked.texts, kept.texts.join('\n'))).toBeNull();
  for (const name of ['media', 'calls', 'results'] as const) expect(kept[name]).toEqual(asked[name]);
  expect(kept.tools).toEqual(expect.arrayContaining(asked.tools));
  const owed = asked.sealed.filter((seal) => JSON.stringify(seal).includes(`"dialect":"${provider.name}"`));
  expect(kept.sealed).toEqual(owed);
  for (const [name, value] of Object.entries(asked.settings)) {
    const told = warnings.filter((warning) => warnedOf[name]?.test(warning));
    // Where a target knows no JSON without a schema, a tool that must be called asks for it, and the caller's
    // own tools are forbidden by it.
    const isJsonTool = name === 'toolChoice' && kept.tools.length > asked.tools.length;
    // OpenAI's word for the lowest effort; Anthropic's lowest is low. See anthropic-messages/to-effort.ts.
    const isLowest = name === 'effort' && value === 'minimal' && provider.name === 'anthropic-messages';
    if (told.length === 0 && !isJsonTool) expect([name, kept.settings[name]]).toEqual([name, isLowest ? 'low' : value]);
  }
}

/**
 * The first of these texts that does not stand behind the ones before it; null when all are there in their
 * order.
 */
function firstMissing(texts: readonly string[], all: string): string | null {
  let at = 0;
  for (const text of texts) {
    const found = all.indexOf(text, at);
    if (found < 0) return text;
    at = found + text.length;
  }
  return null;
}

it.each(crossings)('keeps all that is mapped, %s', (_, surface, provider, reader) => {
  let taken = 0;
  fc.assert(
    fc.property(bodies[surface.name], (body) => {
      const result = crossed(surface, provider, reader, body);
      if (!result) return;
      taken++;
      expectKept(result, provider);
    }),
    { seed: 20_260_106, numRuns: 300 },
  );
  expect(taken).toBeGreaterThan(100);
});

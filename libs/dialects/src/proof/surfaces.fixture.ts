import type { GenerationSurface } from '@tollgate/contracts';
import type { ProviderCodec, SurfaceCodec } from '../canonical/codec';
import { ChatGrammar } from '../grammar/chat-grammar';
import { MessagesGrammar } from '../grammar/messages-grammar';
import { ResponsesGrammar } from '../grammar/responses-grammar';
import type { StreamGrammar } from '../grammar/stream-grammar';
import { providerCodecs, surfaceCodecs } from '../translations';
import { eventsIn } from './sse-text.fixture';

const grammars: Record<GenerationSurface, () => StreamGrammar> = {
  'openai-chat': () => new ChatGrammar(),
  'anthropic-messages': () => new MessagesGrammar(),
  'openai-responses': () => new ResponsesGrammar(),
};

/** Every pair of a surface and a provider dialect. */
export const pairs: readonly (readonly [string, SurfaceCodec, ProviderCodec])[] = surfaceCodecs.flatMap((surface) =>
  providerCodecs.map((provider) => [`${surface.name} to ${provider.name}`, surface, provider] as const),
);

/** The provider side of a surface's own dialect, which reads what the surface writes. */
export function readerOf(surface: SurfaceCodec): ProviderCodec {
  const codec = providerCodecs.find(({ name }) => name === surface.name);
  if (!codec) throw new Error(`No provider codec reads ${surface.name}`);
  return codec;
}

/** What is wrong with a written stream by its dialect's grammar; null when it is legal and whole. */
export function illegal(surface: GenerationSurface, sse: string): string | null {
  const grammar = grammars[surface]();
  for (const [index, { name, json, data }] of eventsIn(sse).entries()) {
    const wrong = grammar.accept(name, json);
    if (wrong !== null) return `event ${index}: ${wrong}: ${data}`;
  }
  return grammar.end();
}

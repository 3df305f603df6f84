import type { GenerationSurface } from '@tollgate/contracts';
import { chatSurface } from './chat';
import { embeddingsSurface } from './embeddings';
import { messagesSurface } from './messages';
import { responsesSurface } from './responses';

/** What a strict client of one surface keeps of a stream while it reads the data of its events. */
export interface StreamReading {
  content: string;
  /** Events that carried text. */
  pieces: number;
  /** The stream said that it is whole. */
  done: boolean;
  /** The error told in the stream, null when none was. */
  error: string | null;
  /** What the stream told of its charge, each time that it did. */
  costs: string[];
}

/** How a client of one surface asks for text, and reads it. */
export interface ClientSurface {
  path: string;
  body(model: string, prompt: string, stream: boolean): object;
  /** The text of a plain answer. Throws when it is none. */
  textOf(answer: unknown): string;
  /** Takes the data of one server-sent event into a reading. Throws when it is no event of this surface. */
  readEvent(data: string, reading: StreamReading): void;
}

/** Where the load of proofs may be asked. */
export type AskedSurface = GenerationSurface | 'openai-embeddings';

export const clientSurfaces: Record<AskedSurface, ClientSurface> = {
  'openai-chat': chatSurface,
  'anthropic-messages': messagesSurface,
  'openai-responses': responsesSurface,
  'openai-embeddings': embeddingsSurface,
};

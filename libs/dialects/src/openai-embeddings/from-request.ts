import { RequestFields, invalid } from '../canonical/request-fields';
import type { EmbeddingInput } from './embedding-input';
import { readInput } from './embedding-input';

/** A caller's request for embeddings. `dimensions` undefined: as many as the model has. */
export interface EmbeddingRequest {
  model: string;
  input: EmbeddingInput;
  format: VectorFormat;
  dimensions: number | undefined;
  user: string | undefined;
  /** Fields that the format does not name. */
  extra: Record<string, unknown>;
}

/** base64: the vector's numbers as 32-bit floats, the lowest byte first. */
export type VectorFormat = 'float' | 'base64';

/**
 * Reads a parsed request for embeddings. https://platform.openai.com/docs/api-reference/embeddings/create
 * @throws GatewayError 400 naming the field.
 */
export function fromRequest(body: unknown): EmbeddingRequest {
  const fields = RequestFields.of(body, '');
  const model = fields.text('model') ?? '';
  if (model === '') throw invalid('model', 'is required and must be a non-empty string');
  const input = readInput(fields.raw('input'));
  const format = fields.choice('encoding_format', ['float', 'base64']) ?? 'float';
  const dimensions = fields.integer('dimensions');
  if (dimensions !== undefined && dimensions < 1) throw invalid('dimensions', 'must be a positive integer');
  const user = fields.text('user');
  return { model, input, format, dimensions, user, extra: fields.rest() };
}

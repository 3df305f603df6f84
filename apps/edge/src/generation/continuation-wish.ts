import { GatewayError } from '@tollgate/contracts';
import type { CatalogModel } from '@tollgate/contracts/catalog';
import type { SurfaceDialect } from '@tollgate/dialects/surface';
import type { IncomingHttpHeaders } from 'node:http';
import type { RequestSize } from './request-size';

/** A request says by it whether its stream, when it breaks, is to go on at another place of the model. */
const continueHeader = 'x-tollgate-continue';

const surfaces: readonly SurfaceDialect['name'][] = ['openai-chat', 'anthropic-messages', 'openai-responses'];

/** Whether answers of this surface can go on: those that are a conversation's. */
export function canContinue({ name }: Pick<SurfaceDialect, 'name'>): boolean {
  return surfaces.includes(name);
}

/**
 * As the header says, else as is set for the model; an answer that is no stream begins anew in any case.
 * @throws GatewayError 400 for a header that says something else.
 */
export function wantsContinuation(
  headers: IncomingHttpHeaders,
  { continueBrokenStreams = false }: CatalogModel,
  surface: Pick<SurfaceDialect, 'name'>,
  stream: boolean,
): boolean {
  const asked = headers[continueHeader];
  if (asked !== undefined && asked !== 'on' && asked !== 'off')
    throw new GatewayError(400, `The header '${continueHeader}' must be on or off.`);
  const isWanted = asked === undefined ? continueBrokenStreams : asked === 'on';
  return isWanted && stream && canContinue(surface);
}

/** What a message around the text so far may take. */
const orderTokens = 128;

/**
 * An upper bound of the input of an answer that goes on once: it is read twice, the second time with what was
 * generated until then.
 */
export function inputOfBoth({ input, output }: RequestSize): number {
  return 2 * input + output + orderTokens;
}

/** An upper bound of such an answer. */
export function sizeOfBoth(size: RequestSize): number {
  return inputOfBoth(size) + size.output;
}

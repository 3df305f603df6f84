import { anthropicMessagesSurface, countTokensRequest, surfaces } from '@tollgate/dialects/surface';
import type { SurfaceDialect, SurfaceRequest } from '@tollgate/dialects/surface';

/** One thing that callers ask inference for, at its own address. `countTokens`: nothing is generated, so it costs no quota and leaves no usage. */
export interface Operation {
  readonly surface: SurfaceDialect;
  readonly path: string;
  readonly countTokens: boolean;
  /** Validates a parsed JSON body. @throws GatewayError 400 naming the field. */
  readRequest(body: unknown, bodyBytes: number): SurfaceRequest;
}

/** How many tokens a messages request has, without its being answered. https://platform.claude.com/docs/en/api/messages/count_tokens */
const countTokens: Operation = {
  surface: anthropicMessagesSurface,
  path: `${anthropicMessagesSurface.path}/count_tokens`,
  countTokens: true,
  readRequest: (body, bodyBytes) => ({
    ...countTokensRequest(body, bodyBytes),
    stream: false,
    includeUsage: false,
    maxOutputTokens: 0,
  }),
};

/** Everything that callers can have done by a model. */
export const operations: readonly Operation[] = [...surfaces.map(asking), countTokens];

function asking(surface: SurfaceDialect): Operation {
  return {
    surface,
    path: surface.path,
    countTokens: false,
    readRequest: (body, bodyBytes) => surface.readRequest(body, bodyBytes),
  };
}

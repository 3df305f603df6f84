import { GatewayError } from '@tollgate/contracts';
import { tokenizerTask } from '@tollgate/contracts/inference';
import type { GenerationKind, TokenizerTask } from '@tollgate/contracts/inference';
import {
  anthropicMessagesSurface,
  countTokensRequest,
  isRecord,
  openaiChatSurface,
  openaiResponsesSurface,
  surfaces,
} from '@tollgate/dialects/surface';
import type { Need, SurfaceDialect, SurfaceRequest } from '@tollgate/dialects/surface';

/** One thing that callers ask inference for, at its own address. */
export interface Operation {
  readonly surface: SurfaceDialect;
  readonly path: string;
  readonly kind: GenerationKind;
  /**
   * Validates a parsed JSON body. `headers`: those for providers.
   * @throws GatewayError 400 naming the field.
   */
  readRequest(body: unknown, bodyBytes: number, headers: Readonly<Record<string, string>>): SurfaceRequest;
}

const nothingGenerated = { stream: false, includeUsage: false, maxOutputTokens: 0 };

/** How many tokens a request of a surface has, without its being answered. */
function counting(surface: SurfaceDialect, path: string, read: typeof countTokensRequest): Operation {
  return {
    surface,
    path: `${surface.path}/${path}`,
    kind: 'count_tokens',
    readRequest: (...asked) => ({ ...read(...asked), ...nothingGenerated }),
  };
}

/** What servers have tokens made of differs from one to the next, so nothing but the model is read. */
function tokenizing(kind: TokenizerTask): Operation {
  return {
    surface: { ...openaiChatSurface, inOwnForm: (body) => body },
    path: `/v1/${kind}`,
    kind,
    readRequest: (body) => {
      const model = isRecord(body) ? body.model : null;
      if (typeof model !== 'string' || model === '')
        throw new GatewayError(400, "'model' is required and must be a non-empty string.");
      return { ...nothingGenerated, model, inputTokensEstimate: 0, mediaTokens: 0, needs: [] };
    },
  };
}

/** Everything that callers can have done by a model. */
export const operations: readonly Operation[] = [
  ...surfaces.map(asking),
  // https://platform.claude.com/docs/en/api/messages/count_tokens
  counting(anthropicMessagesSurface, 'count_tokens', countTokensRequest),
  // https://platform.openai.com/docs/api-reference/responses/input-tokens
  counting(openaiResponsesSurface, 'input_tokens', (body, bodyBytes) =>
    openaiResponsesSurface.readRequest(body, bodyBytes),
  ),
  ...tokenizerTask.options.map(tokenizing),
  // https://platform.openai.com/docs/api-reference/responses/compact
  {
    ...asking(openaiResponsesSurface),
    path: `${openaiResponsesSurface.path}/compact`,
    kind: 'compact',
    // Half a summary is none: a limit of the caller's holds for answers.
    readRequest: (body, bodyBytes) => ({
      ...askingNothing(openaiResponsesSurface.readRequest(body, bodyBytes)),
      stream: false,
      maxOutputTokens: null,
    }),
  },
];

/** A conversation whose last message is one of many: a picture in it is as one of an earlier turn. */
function askingNothing({ needs, media, ...read }: SurfaceRequest): SurfaceRequest {
  if (!media) return { ...read, needs };
  const isMedia = (need: Need) => media.some((each) => each.need === need);
  return {
    ...read,
    needs: needs.filter((need) => !isMedia(need)),
    media: media.map((each) => ({ ...each, isAsked: false })),
  };
}

/** What is done for who posts to this address. @throws Error where nothing is. */
export function operationAt(path: string): Operation {
  const operation = operations.find((one) => one.path === path);
  if (!operation) throw new Error(`there is no operation at ${path}`);
  return operation;
}

function asking(surface: SurfaceDialect): Operation {
  return {
    surface,
    path: surface.path,
    kind: 'generate',
    readRequest: (...asked) => surface.readRequest(...asked),
  };
}

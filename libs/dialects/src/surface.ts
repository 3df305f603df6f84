import { openaiChatSurface } from './openai-chat/surface';
import type { SurfaceDialect } from './surface-dialect';

export { openaiChatSurface } from './openai-chat/surface';
export { parseRequestJson } from './wire/request-json';
export type { SurfaceDialect, SurfaceRequest, Transcript } from './surface-dialect';

/** Every dialect that callers may speak. */
export const surfaces: readonly SurfaceDialect[] = [openaiChatSurface];

import type { UpstreamTarget } from '../provider-dialect';

/** Every version so far takes this form. https://platform.claude.com/docs/en/api/versioning */
const apiVersion = '2023-06-01';

/** https://platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai */
const vertexVersion = 'vertex-2023-10-16';

/**
 * Where a request goes, and the members that say which model and version are meant; the others must not be in
 * the body.
 */
export interface Addressing {
  path: string;
  headers: Record<string, string>;
  members: Record<string, string>;
}

/**
 * Anthropic takes the model in the body and the version in a header; Vertex AI the model in the path and the
 * version in the body.
 */
export function addressing({ provider, upstreamModel, stream }: UpstreamTarget): Addressing {
  const headers = { 'content-type': 'application/json', accept: stream ? 'text/event-stream' : 'application/json' };
  if (provider.quirks.modelInPath) {
    const path = `/${encodeURIComponent(upstreamModel)}:${stream ? 'streamRawPredict' : 'rawPredict'}`;
    return { path, headers, members: { anthropic_version: vertexVersion } };
  }
  return {
    path: '/messages',
    headers: Object.assign(headers, { 'anthropic-version': apiVersion }),
    members: { model: upstreamModel },
  };
}

import { createApiKey } from '@tollgate/contracts';
import type { GenerationSurface } from '@tollgate/contracts';
import type { ClientSurface } from '../surfaces/client-surface';
import { clientSurfaces } from '../surfaces/client-surface';
import type { Act } from './acts';
import type { Credentials } from './credentials';

/** One act as an HTTP request. `reads` null: any JSON will do. */
export interface ActRequest {
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  body?: string;
  reads: { surface: ClientSurface; stream: boolean } | null;
}

const model = 'openai/gpt-5.4-mini';
const prompt = 'How are you? [[sandbox: tokens=20 delay_ms=5]]';

/** The request of an act. `origin` is the address that it goes to. */
export function requestOf(act: Act, credentials: Credentials, origin: string): ActRequest {
  const { apiKey } = credentials;
  switch (act) {
    case 'chat':
      return generation('openai-chat', apiKey, false);
    case 'stream':
      return generation('openai-chat', apiKey, true);
    case 'messages':
      return generation('anthropic-messages', apiKey, false);
    case 'responses':
      return generation('openai-responses', apiKey, true);
    case 'new key':
      return generation('openai-chat', createApiKey('tg'), false);
    case 'wrong key':
      return generation('openai-chat', mistyped(apiKey), false);
    case 'models':
      return get('/v1/models', apiKey);
    case 'usage':
      return get('/v1/usage', apiKey);
    case 'metrics':
      return get('/api/metrics', apiKey);
    case 'sign-in':
      return signIn(credentials, origin);
    case 'livez':
    case 'readyz':
      return { method: 'GET', path: `/${act}`, headers: {}, reads: null };
  }
}

/** A chat stream of about four seconds. */
export function longStream(apiKey: string): ActRequest {
  return generation('openai-chat', apiKey, true, 'Go on. [[sandbox: tokens=100 delay_ms=40]]');
}

function generation(name: GenerationSurface, apiKey: string, stream: boolean, text = prompt): ActRequest {
  const surface = clientSurfaces[name];
  return {
    method: 'POST',
    path: surface.path,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(surface.body(model, text, stream)),
    reads: { surface, stream },
  };
}

function get(path: string, apiKey: string): ActRequest {
  return { method: 'GET', path, headers: { authorization: `Bearer ${apiKey}` }, reads: null };
}

function signIn({ email, password, cookie, csrfToken }: Credentials, origin: string): ActRequest {
  return {
    method: 'POST',
    path: '/api/auth/sign-in',
    headers: { 'content-type': 'application/json', origin, cookie, 'x-csrf-token': csrfToken },
    body: JSON.stringify({ email, password }),
    reads: null,
  };
}

function mistyped(apiKey: string): string {
  return apiKey.slice(0, -1) + (apiKey.endsWith('0') ? '1' : '0');
}

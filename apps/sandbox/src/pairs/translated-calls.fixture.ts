import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { GatewayError, isGatewayErrorStatus } from '@tollgate/contracts';
import type { DialectName, GenerationSurface } from '@tollgate/contracts';
import { providerDefinition } from '@tollgate/contracts/catalog';
import type { CatalogModel, ProviderDefinition } from '@tollgate/contracts/catalog';
import { compacting, translationFor } from '@tollgate/dialects';
import { surfaces } from '@tollgate/dialects/surface';
import { aModel } from '@tollgate/testing';
import OpenAI from 'openai';
import { readSandboxEnvironment } from '../environment';
import { isRecord } from '../request/record';
import { createSandbox } from '../sandbox';

/** A model whose name tells each dialect's codec that it thinks. */
const models: Record<DialectName, string> = {
  'openai-chat': 'sandbox-large',
  'openai-responses': 'sandbox-large',
  'anthropic-messages': 'claude-sonnet-4-5',
  gemini: 'gemini-3-flash',
  'bedrock-converse': 'anthropic.claude-sonnet-4-5-20250929-v1:0',
  cohere: 'command-a-reasoning-08-2025',
};

/** What the simulated models call when they are asked to use it. */
export const parameters = {
  type: 'object',
  properties: { what: { type: 'string' } },
  required: ['what'],
  additionalProperties: false,
};
export const chatTools = ['look_up', 'add'].map((name) => ({
  type: 'function' as const,
  function: { name, parameters },
}));

/** Whom a request goes to. `model`: its name there, controls and all. */
export interface Place {
  dialect: DialectName;
  model?: string;
  /** Its provider's id, whose rules hold; absent: its name tells them. */
  provider?: string;
  quirks?: Partial<ProviderDefinition['quirks']>;
  /** The efforts that the model takes. */
  efforts?: string[];
  /** False: it refuses to be sampled. */
  temperature?: boolean;
  /** What the model takes; absent: pictures and files, too. */
  takes?: CatalogModel['inputModalities'];
}

/**
 * Callers' requests on their way through the translation to the simulated providers, as inference sends them.
 */
export class TranslatedCalls {
  private constructor(private readonly app: NestFastifyApplication) {}

  static async start(): Promise<TranslatedCalls> {
    const app = await createSandbox(readSandboxEnvironment({}));
    await app.listen(0, '127.0.0.1');
    return new TranslatedCalls(app);
  }

  close(): Promise<void> {
    return this.app.close();
  }

  /**
   * `compact`: the conversation of a caller of responses is to be compacted. `maxOutputTokens`: what its
   * answer is cut beyond.
   */
  async send(
    surface: GenerationSurface,
    place: Place,
    body: Record<string, unknown>,
    { compact = false, maxOutputTokens = null }: { compact?: boolean; maxOutputTokens?: number | null } = {},
  ) {
    const translation = translationFor(surface, place.dialect);
    if (!translation) throw new Error(`no translation from ${surface} to ${place.dialect}`);
    const bytes = Buffer.from(JSON.stringify(body));
    const target = targetOf(place, body.stream === true);
    const asked = compact ? compacting(translation) : translation;
    const attempt = asked.prepare(bytes, target, { includeUsage: true, maxOutputTokens });
    const { path, headers, body: sent } = attempt.request;
    const url = `${await this.app.getUrl()}/${place.dialect}${path}`;
    const answer = await fetch(url, {
      method: 'POST',
      headers: { ...headers, ...(place.provider !== undefined && { 'x-simulated-provider': place.provider }) },
      body: Buffer.concat(sent).toString(),
    });
    const received = new Uint8Array(await answer.arrayBuffer());
    return { translation, attempt, answer, received, sent: Buffer.concat(sent).toString() };
  }

  /** OpenAI's client with this place behind it. */
  openai(place: Place, surface: 'openai-chat' | 'openai-responses'): OpenAI {
    return new OpenAI({
      apiKey: 'k',
      baseURL: 'http://g.test/v1',
      maxRetries: 0,
      fetch: this.fetchFor(surface, place),
    });
  }

  /** The network of an official client of this surface. */
  fetchFor(name: GenerationSurface, place: Place): typeof fetch {
    const surface = surfaces.find((each) => each.name === name);
    if (!surface) throw new Error(`no surface ${name}`);
    return async (input, init) => {
      const isCompact = typeof input === 'string' && input.endsWith('/compact');
      const body: unknown = JSON.parse(typeof init?.body === 'string' ? init.body : '');
      if (!isRecord(body)) throw new Error('the client sent no object');
      try {
        surface.readRequest(body, 0);
        const { attempt, answer, received, translation } = await this.send(name, place, body, { compact: isCompact });
        if (answer.status !== 200) {
          const headers = Object.fromEntries(answer.headers);
          const { message, details } = translation.readError(answer.status, headers, received, 'P', Date.now());
          const status = isGatewayErrorStatus(answer.status) ? answer.status : 502;
          throw new GatewayError(status, message).withDetails(details ?? null);
        }
        const reader = attempt.answerReader();
        const text = Buffer.concat([reader.push(received), reader.end()]).toString();
        if (isCompact && reader.error) throw new GatewayError(502, reader.error.message);
        const type = body.stream === true ? 'text/event-stream' : 'application/json';
        return new Response(text, { headers: { 'content-type': type } });
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error;
        return Response.json(surface.errorBody(error, 'r'), { status: error.status });
      }
    };
  }
}

function targetOf(
  {
    dialect,
    model: upstreamModel = models[dialect],
    provider: id = 'p',
    quirks,
    efforts,
    temperature = true,
    takes,
  }: Place,
  stream: boolean,
) {
  const provider = providerDefinition.parse({
    id,
    name: 'P',
    dialect,
    baseUrl: 'http://p.test',
    apiKeyEnv: [],
    quirks: { reasoningField: 'reasoning_content', ...quirks },
  });
  const model = aModel({
    id: 'p/model',
    maxOutputTokens: 32_000,
    inputModalities: takes ?? ['text', 'image', 'pdf'],
    capabilities: { vision: true, reasoning: true, temperature },
    reasoningEfforts: efforts,
  });
  return { provider, model, upstreamModel, stream };
}

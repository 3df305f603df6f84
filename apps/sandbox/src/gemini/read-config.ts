import type { NeutralRequest } from '../request/neutral-request';
import { limitIn, numberIn, textIn, textsIn } from '../request/read-values';
import { isRecord } from '../request/record';
import { demand } from '../request/refusal';
import { demandFields } from './demand-fields';
import { demandOpenApi } from './demand-open-api';

const knownConfig = [
  'maxOutputTokens',
  'temperature',
  'topP',
  'topK',
  'stopSequences',
  'seed',
  'candidateCount',
  'presencePenalty',
  'frequencyPenalty',
  'responseLogprobs',
  'logprobs',
  'responseMimeType',
  'responseSchema',
  'responseJsonSchema',
  '_responseJsonSchema',
  'thinkingConfig',
  'responseModalities',
  'mediaResolution',
  'speechConfig',
  'imageConfig',
  'enableEnhancedCivicAnswers',
  'audioTimestamp',
  'routingConfig',
  'modelSelectionConfig',
];

const anyObject = { type: 'object', properties: { answer: { type: 'string' } } };

type Config = Pick<NeutralRequest, 'maxTokens' | 'stops' | 'choices' | 'topLogprobs' | 'schema' | 'reasons'>;

/** https://ai.google.dev/api/generate-content#generationconfig @throws Refusal */
export function readConfig(config: Record<string, unknown>, model: string): Config {
  demandFields(config, knownConfig, 'generation_config');
  numberIn(config.temperature, 'temperature', 0, 2);
  numberIn(config.topP, 'top_p', 0, 1);
  limitIn(config.topK, 'top_k');
  numberIn(config.presencePenalty, 'presence_penalty', -2, 1.99);
  numberIn(config.frequencyPenalty, 'frequency_penalty', -2, 1.99);
  demand(
    config.seed === undefined || config.seed === (Number(config.seed) | 0),
    `Invalid value at 'generation_config.seed' (TYPE_INT32), ${JSON.stringify(config.seed)}`,
  );
  checkMedia(config);
  const choices = limitIn(config.candidateCount, 'candidate_count') ?? 1;
  demand(choices <= 8, `The candidate_count ${choices} is out of range: it must be from 1 to 8.`);
  const maxTokens = limitIn(config.maxOutputTokens, 'max_output_tokens');
  checkLimit(maxTokens, model);
  return {
    maxTokens,
    stops: textsIn(config.stopSequences, 'stop_sequences', 5),
    choices,
    topLogprobs: readLogprobs(config),
    schema: readSchema(config),
    reasons: readThinking(config.thinkingConfig, model),
  };
}

/**
 * https://ai.google.dev/api/generate-content#modality
 * https://ai.google.dev/api/generate-content#mediaresolution @throws Refusal
 */
function checkMedia({ responseModalities: modalities, mediaResolution: resolution }: Record<string, unknown>): void {
  for (const modality of Array.isArray(modalities) ? modalities : [])
    demand(
      ['TEXT', 'IMAGE', 'AUDIO', 'MODALITY_UNSPECIFIED'].includes(textIn(modality)),
      `Invalid value at 'generation_config.response_modalities' (type.googleapis.com/google.ai.generativelanguage.v1beta.GenerationConfig.Modality), "${textIn(modality)}"`,
    );
  demand(
    resolution === undefined ||
      /^MEDIA_RESOLUTION_(?:UNSPECIFIED|LOW|MEDIUM|(?:ULTRA_)?HIGH)$/.test(textIn(resolution)),
    `Invalid value at 'generation_config.media_resolution' (type.googleapis.com/google.ai.generativelanguage.v1beta.MediaResolution), "${textIn(resolution)}"`,
  );
}

/**
 * Models from 2.5 on write 65,536 tokens at once, https://ai.google.dev/gemini-api/docs/models, those before
 * them 8,192. Gemini 4 writes answers that are longer than that. In the words of
 * https://github.com/stackblitz-labs/bolt.diy/issues/955
 */
function checkLimit(asked: number | null, model: string): void {
  const version = Number(/gemini-(\d+(?:\.\d+)?)/.exec(model)?.[1] ?? '9');
  const most = version >= 2.5 ? 65_536 : 8_192;
  demand(
    asked === null || asked <= most || /^gemini-4-/.test(model),
    `Unable to submit request because it has a maxOutputTokens value of ${asked} but the supported range is from 1 (inclusive) to ${most + 1} (exclusive). Update the value and try again.`,
  );
}

function readLogprobs({ responseLogprobs, logprobs }: Record<string, unknown>): number | null {
  const top = numberIn(logprobs, 'logprobs', 0, 20);
  demand(top === null || responseLogprobs === true, 'logprobs may only be set when response_logprobs is true.');
  return responseLogprobs === true ? (top ?? 0) : null;
}

function readSchema(config: Record<string, unknown>): unknown {
  const { responseMimeType: type = 'text/plain', responseSchema: openApi, responseJsonSchema: json } = config;
  demand(
    type === 'text/plain' || type === 'application/json' || type === 'text/x.enum',
    '* GenerateContentRequest.generation_config.response_mime_type: allowed mimetypes are `text/plain`, `application/json`, `application/xml`, `application/yaml` and `text/x.enum`.\n',
  );
  demand(
    openApi === undefined || json === undefined,
    'Only one of response_schema and response_json_schema may be set.',
  );
  demand(
    (openApi === undefined && json === undefined) || type !== 'text/plain',
    '* GenerateContentRequest.generation_config.response_schema: only allowed for mime type application/json and text/x.enum.\n',
  );
  if (openApi !== undefined) demandOpenApi(openApi, 'generation_config.response_schema');
  return type === 'application/json' ? (json ?? openApi ?? anyObject) : null;
}

/** https://ai.google.dev/gemini-api/docs/thinking */
function readThinking(thinking: unknown, model: string): boolean {
  if (!isRecord(thinking)) return false;
  const { includeThoughts, thinkingBudget: budget, thinkingLevel: level } = thinking;
  demandFields(thinking, ['includeThoughts', 'thinkingBudget', 'thinkingLevel'], 'generation_config.thinking_config');
  const version = Number(/gemini-(\d+(?:\.\d+)?)/.exec(model)?.[1] ?? '9');
  demand(version >= 2.5, 'Thinking is not enabled for this model.');
  demand(level === undefined || version >= 3, 'Thinking level is not supported for this model.');
  demand(level === undefined || budget === undefined, 'You can only set one of thinking budget and thinking level.');
  demand(
    level === undefined || ['MINIMAL', 'LOW', 'MEDIUM', 'HIGH', 'XHIGH'].includes(textIn(level).toUpperCase()),
    `Invalid value at 'generation_config.thinking_config.thinking_level': "${textIn(level)}"`,
  );
  const isPro = model.includes('pro');
  // https://ai.google.dev/gemini-api/docs/changelog (October 13): Argon takes no MINIMAL and no budget; of
  // the Flash models 3.7 and later take none either.
  const hasMinimal = !isPro && (version < 3.7 || version === 9);
  demand(
    textIn(level).toUpperCase() !== 'MINIMAL' || hasMinimal,
    'Thinking level MINIMAL is not supported for this model.',
  );
  // https://docs.laozhang.ai/announcements/gemini-4-neon-2026-11.md
  // https://github.com/BerriAI/litellm/discussions/51436
  demand(
    textIn(level).toUpperCase() !== 'XHIGH' || /^gemini-4-(?:hydrogen|neon)/.test(model),
    'Thinking level XHIGH is not supported for this model.',
  );
  demand(version < 4 || version === 9 || budget === undefined, 'Thinking budget is not supported for this model.');
  const [least, most] = isPro ? [128, 32_768] : [model.includes('lite') ? 512 : 0, 24_576];
  const isFree = budget === undefined || budget === -1 || (budget === 0 && !isPro);
  const isWithin = typeof budget === 'number' && budget >= least && budget <= most;
  demand(
    isFree || isWithin || version >= 3,
    `The thinking budget is invalid. Please choose a value between ${least} and ${most}.`,
  );
  return includeThoughts === true && budget !== 0;
}

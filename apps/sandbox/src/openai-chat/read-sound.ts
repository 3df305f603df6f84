import { splitModel } from '../behaviour/read-behaviour';
import { memberOf, optionalObjects, textIn } from '../request/read-values';
import { demand } from '../request/refusal';

/**
 * A token for each tenth of a second: a recording is taken for one of a second.
 * https://developers.openai.com/api/docs/guides/realtime-costs
 */
const tokensOfRecording = 10;

/**
 * What a chat completion hears, in tokens, and whether it speaks. Models of others than OpenAI hear and speak
 * as they like here. https://platform.openai.com/docs/api-reference/chat/create#chat_create-modalities
 * The words for a model without sound are not documented. @throws Refusal
 */
export function readSound(
  body: Record<string, unknown>,
  messages: readonly Record<string, unknown>[],
): { speaks: boolean; audioInputTokens: number } {
  const modalities = Array.isArray(body.modalities) ? (body.modalities as unknown[]) : ['text'];
  const unknown = modalities.find((name) => name !== 'text' && name !== 'audio');
  demand(
    modalities.length > 0 && unknown === undefined,
    `Invalid value: '${textIn(unknown)}'. Supported values are: 'text' and 'audio'.`,
    { param: 'modalities', code: 'invalid_value' },
  );
  const speaks = modalities.includes('audio');
  const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? optionalObjects(content, 'content') : []));
  const recordings = parts.filter(({ type }) => type === 'input_audio').length;
  const name = splitModel(textIn(body.model)).name.replace(/^openai\//, '');
  if (!/^gpt-/.test(name)) return { speaks, audioInputTokens: 0 };
  if (!/^gpt-(?:4o-)?(?:mini-)?audio/.test(name)) {
    demand(!speaks, "Unsupported value: 'modalities' does not support 'audio' with this model.", {
      param: 'modalities',
      code: 'unsupported_value',
    });
    return { speaks: false, audioInputTokens: 0 };
  }
  if (speaks) checkVoice(body);
  return { speaks, audioInputTokens: recordings * tokensOfRecording };
}

/** Of streams: https://github.com/Agent-Field/agentfield/issues/584 */
function checkVoice(body: Record<string, unknown>): void {
  const { voice, format } = memberOf(body, 'audio');
  for (const [member, value] of Object.entries({ voice, format }))
    demand(value !== undefined, `Missing required parameter: 'audio.${member}'.`, {
      param: `audio.${member}`,
      code: 'missing_required_parameter',
    });
  demand(
    body.stream !== true || format === 'pcm16',
    `Unsupported value: 'audio.format' does not support '${textIn(format)}' when stream=true. Supported values are: 'pcm16'.`,
    { param: 'audio.format', code: 'unsupported_value' },
  );
}

import { optionalObjects, textIn } from '../request/read-values';
import { isRecord } from '../request/record';
import { demand } from '../request/refusal';

/** Models that take texts alone, and how their maker refuses a part of another type. */
interface TextModels {
  provider: string;
  models: RegExp;
  /** `at`: which message holds it. */
  words: (type: string, at: number) => string;
  code: string;
}

const rules: readonly TextModels[] = [
  {
    // The Flash model without a number is the one that sees: https://api-docs.deepseek.com/guides/vision
    // https://github.com/Gitlawb/openclaude/issues/1071 https://github.com/boldsoftware/shelley/issues/224
    provider: 'deepseek',
    models: /^deepseek-v4-/,
    words: (type, at) =>
      `Failed to deserialize the JSON body into the target type: messages[${at}]: unknown variant \`${type}\`, expected \`text\``,
    code: 'invalid_request_error',
  },
  {
    // https://github.com/TriDefender/zcode-api/pull/26
    // https://github.com/BigPizzaV3/CodexPlusPlus/issues/1760
    provider: 'zai',
    models: /^glm-(?:[0-9.]+)(?:-turbo|-air)?$/,
    words: () => "messages.content.type 参数非法，取值范围 ['text']",
    code: '1210',
  },
];

/**
 * `provider` empty: the model's name tells whose rules hold.
 * @throws Refusal for a picture, a file or a recording, in whatever turn, that the model does not take.
 */
export function checkTexts({ messages }: Record<string, unknown>, model: string, provider: string): void {
  const rule = rules.find((each) => (provider === '' || each.provider === provider) && each.models.test(model));
  if (!rule) return;
  for (const [at, { content }] of optionalObjects(messages, 'messages').entries()) {
    const parts = Array.isArray(content) ? content.filter(isRecord) : [];
    const other = parts.find(({ type }) => type !== 'text');
    demand(other === undefined, rule.words(textIn(other?.type), at), { code: rule.code });
  }
}

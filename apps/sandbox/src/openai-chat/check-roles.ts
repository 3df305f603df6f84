import { optionalObjects, textIn } from '../request/read-values';
import { demand } from '../request/refusal';
import type { RefusalDetails } from '../request/refusal';

const usual = ['system', 'user', 'assistant', 'tool'];

/**
 * How makers word their refusal of other roles, among them `developer`, which is OpenAI's. Each knows the
 * usual four, and `more`.
 */
interface KnownRoles {
  provider: string;
  models: RegExp;
  more?: string[];
  words: (role: string, at: number) => string;
  details?: RefusalDetails;
}

const rules: readonly KnownRoles[] = [
  {
    // https://github.com/earendil-works/pi/issues/1048
    // https://github.com/OpenCoworkAI/open-codesign/issues/316
    provider: 'deepseek',
    models: /^deepseek-/,
    more: ['latest_reminder'],
    words: (role, at) =>
      `Failed to deserialize the JSON body into the target type: messages[${at}].role: unknown variant \`${role}\`, expected one of \`system\`, \`user\`, \`assistant\`, \`tool\`, \`latest_reminder\``,
    details: { code: 'invalid_request_error' },
  },
  {
    // https://github.com/proma-ai/Proma/issues/1496
    provider: 'alibaba',
    models: /^qwen(?!\/)/,
    more: ['function'],
    words: (role, at) =>
      `${role} is not one of ['system', 'assistant', 'user', 'tool', 'function'] - 'messages.[${at}].role'`,
    details: { code: 'invalid_parameter_error' },
  },
  // https://github.com/openclaw/openclaw/issues/8579
  { provider: 'moonshot', models: /^kimi-/, words: () => 'invalid request: unsupported role ROLE_UNSPECIFIED' },
  // https://github.com/vastsa/PI-Desktop/issues/30
  { provider: 'zai', models: /^glm-/, words: () => 'Incorrect role information', details: { code: '1214' } },
];

/**
 * `provider` empty: the model's name tells whose rules hold.
 * @throws Refusal for a message of a role that the maker of the model does not know.
 */
export function checkRoles({ messages }: Record<string, unknown>, model: string, provider: string): void {
  const rule = rules.find((each) => (provider === '' ? each.models.test(model) : each.provider === provider));
  if (!rule) return;
  for (const [at, message] of optionalObjects(messages, 'messages').entries()) {
    const role = textIn(message.role);
    demand(usual.includes(role) || rule.more?.includes(role) === true, rule.words(role, at), rule.details);
  }
}

import { splitModel } from '../behaviour/read-behaviour';
import { memberOf, textIn } from '../request/read-values';
import { isRecord } from '../request/record';

type Body = Record<string, unknown>;

/**
 * Whether a model's thoughts stay with the account that they were thought for: those of Sonnet 5.5 and Haiku
 * 5.5 do.
 * https://platform.claude.com/docs/en/build-with-claude/preserved-thinking#account-bound-thinking
 */
export function staysWithAccount(model: string): boolean {
  return /claude-(?:sonnet|haiku)-5-5/.test(splitModel(model).name);
}

/**
 * A request without the thoughts of other accounts, which no model sees and nobody is told of.
 * https://docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-thinking-block-binding.html
 */
export function withoutForeignThoughts(body: Body, account: string): Body {
  if (!Array.isArray(body.messages)) return body;
  const before: readonly unknown[] = body.messages;
  const messages = before.map((message) => {
    if (!isRecord(message) || !Array.isArray(message.content)) return message;
    const content = message.content.filter((block: unknown) => !isForeign(block, account));
    return content.length === 0 ? message : { ...message, content };
  });
  return { ...body, messages };
}

function isForeign(block: unknown, account: string): boolean {
  const [, , of] = textIn(memberOf({ block }, 'block').signature).split('.');
  return of !== undefined && of !== account;
}

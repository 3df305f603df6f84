import type { ServedTerms } from '@tollgate/contracts';
import { usedUnits } from '../canonical/served-terms';
import { isRecord } from '../wire/json-value';

/**
 * What the calls of Anthropic's own tools are charged as.
 * https://platform.claude.com/docs/en/about-claude/pricing#specific-tool-pricing
 */
const serverTools: Readonly<Record<string, string>> = {
  web_search: 'webSearch',
  web_fetch: 'webFetch',
  code_execution: 'codeExecution',
  bash_code_execution: 'codeExecution',
  text_editor_code_execution: 'codeExecution',
};

/**
 * Counts the calls of Anthropic's own tools by the blocks of an answer: each that has begun, but a search
 * that failed, which is not billed.
 */
export class HostedUses {
  private readonly uses: Record<string, number> = {};

  /** By the names of price terms; undefined: none was called. */
  get units(): ServedTerms['units'] {
    return usedUnits(this.uses);
  }

  /** `block` as it begins. */
  note({ type, name, content }: Record<string, unknown>): void {
    const unit = type === 'server_tool_use' ? serverTools[String(name)] : undefined;
    if (unit !== undefined) this.uses[unit] = (this.uses[unit] ?? 0) + 1;
    const hasFailed = type === 'web_search_tool_result' && isRecord(content);
    if (hasFailed) this.uses.webSearch = Math.max(0, (this.uses.webSearch ?? 0) - 1);
  }
}

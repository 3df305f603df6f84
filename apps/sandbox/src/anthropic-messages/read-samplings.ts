import { splitModel } from '../behaviour/read-behaviour';
import type { Sampling } from '../request/neutral-request';
import { memberOf, optionalObjects, textIn } from '../request/read-values';
import { isRecord } from '../request/record';
import { demand } from '../request/refusal';

const advisorBeta = 'advisor-tool-2026-03-01';
const compactionBeta = 'compact-2026-01-12';
/**
 * Tokens: the smallest threshold that is taken, and the usual one.
 * https://platform.claude.com/docs/en/build-with-claude/compaction-threshold
 */
const threshold = { least: 50_000, usual: 150_000 };

/** What the samplings of a simulated model write that no caller sees, in tokens. */
const written = { call: 7, advice: 23, summary: 11 };

interface Asked {
  /** As it was sent. */
  model: string;
  betas: string;
  inputTokens: number;
}

/**
 * The samplings that come before the one of the answer: the model's own that asks an advisor, the advisor's,
 * and one that shortens a conversation beyond its threshold.
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/advisor-tool @throws Refusal
 */
export function readSamplings(body: Record<string, unknown>, asked: Asked): Sampling[] {
  const { name: model } = splitModel(asked.model);
  const { betas, inputTokens } = asked;
  const advisor = optionalObjects(body.tools, 'tools').find(({ type }) => textIn(type).startsWith('advisor_'));
  const samplings: Sampling[] = [];
  if (isCompacted(body, asked))
    samplings.push({ kind: 'compaction', model, inputTokens, outputTokens: written.summary });
  if (!advisor) return samplings;
  demand(betas.includes(advisorBeta), "tools: Input tag 'advisor_20260301' found using 'type' does not match any");
  demand(typeof advisor.model === 'string' && advisor.model !== '', 'tools.advisor.model: Field required');
  return [
    ...samplings,
    { kind: 'message', model, inputTokens, outputTokens: written.call },
    {
      ...{ kind: 'advisor_message', model: advisor.model },
      ...{ inputTokens: inputTokens + written.call, outputTokens: written.advice },
    },
  ];
}

function isCompacted({ context_management: management }: Record<string, unknown>, asked: Asked): boolean {
  const edits = optionalObjects(memberOf({ management }, 'management').edits, 'context_management.edits');
  const edit = edits.find(({ type }) => type === 'compact_20260112');
  if (!edit) return false;
  demand(asked.betas.includes(compactionBeta), 'context_management.edits: compact_20260112 is not available');
  const { value = threshold.usual } = isRecord(edit.trigger) ? edit.trigger : {};
  demand(
    typeof value === 'number' && value >= threshold.least,
    `context_management.edits.trigger.value: Input should be greater than or equal to ${threshold.least}`,
  );
  return asked.inputTokens > value;
}

import type { StatementLine } from '@tollgate/contracts/metering';

/** What a model came to in a month. `costNanoUsd`: whole nano-dollars. */
export interface ModelSum extends Omit<StatementLine, 'day' | 'costNanoUsd'> {
  costNanoUsd: bigint;
}

/** The lines of a statement by model, the most costly first. */
export function sumsByModel(lines: readonly StatementLine[]): ModelSum[] {
  const sums = new Map<string, ModelSum>();
  for (const { day: _, costNanoUsd, ...line } of lines) {
    const known = sums.get(line.model);
    sums.set(line.model, {
      model: line.model,
      requests: (known?.requests ?? 0) + line.requests,
      unpricedRequests: (known?.unpricedRequests ?? 0) + line.unpricedRequests,
      inputTokens: (known?.inputTokens ?? 0) + line.inputTokens,
      cachedInputTokens: (known?.cachedInputTokens ?? 0) + line.cachedInputTokens,
      outputTokens: (known?.outputTokens ?? 0) + line.outputTokens,
      costNanoUsd: (known?.costNanoUsd ?? 0n) + BigInt(costNanoUsd),
    });
  }
  return [...sums.values()].sort(
    (one, other) =>
      Number(other.costNanoUsd > one.costNanoUsd) - Number(other.costNanoUsd < one.costNanoUsd) ||
      one.model.localeCompare(other.model),
  );
}

import { chatShapes } from './chat-shapes';
import { expectedNanoUsd } from './expected-cost';
import { otherShapes } from './other-shapes';
import type { Shape } from './shape';
import { sheets } from './sheets';
import { inputOf, outputOf, seenAs, truths } from './truth';
import type { Truth } from './truth';

/**
 * A body's usage object, the tokens it means, and what they cost at a price. `nanoUsd` is a decimal string of
 * whole nano-dollars.
 */
interface Row {
  name: string;
  dialect: Shape['dialect'];
  upstreamModel: string | null;
  usage: object;
  tokens: object;
  sheet: string;
  nanoUsd: string;
}

/**
 * The table: every provider's shape, every kind of request, every price that fits; equal bodies of a shape
 * once.
 */
export function usageTable(): { sheets: object; rows: Row[] } {
  return { sheets, rows: [...chatShapes, ...otherShapes].flatMap(rowsOf) };
}

function rowsOf(shape: Shape): Row[] {
  const seen = new Map(truths.map((truth) => [JSON.stringify(seenAs(truth, shape.told)), seenAs(truth, shape.told)]));
  return [...seen.values()].flatMap((truth, index) =>
    shape.sheets.map((sheet) => ({
      name: `${shape.provider} ${shape.dialect} ${index + 1} at ${sheet}`,
      dialect: shape.dialect,
      upstreamModel: shape.upstreamModel ?? null,
      usage: shape.usage(truth),
      tokens: tokensOf(truth),
      sheet,
      nanoUsd: expectedNanoUsd(sheets[sheet], truth).toString(),
    })),
  );
}

/** In the product's one convention: input and output are whole, the rest are parts of them. */
function tokensOf(truth: Truth): object {
  return {
    input: inputOf(truth),
    output: outputOf(truth),
    cachedInput: truth.cached,
    cacheWrite5m: truth.write5m,
    cacheWrite1h: truth.write1h,
    reasoning: truth.reasoning,
    audioInput: truth.audioIn,
    audioOutput: truth.audioOut,
  };
}

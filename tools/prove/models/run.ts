import { catalogOperations } from '@tollgate/contracts/catalog';
import { factDifferences } from '../../cli/catalog/fact-differences';
import { readModelsDevFacts } from '../../cli/catalog/document-facts';
import { loadDocument } from '../../cli/prices/load-document';
import type { ProofOptions, ProofValues, Say } from '../proof';
import { withStack } from '../with-stack';
import { proveModels } from './prove-models';

export const modelsOptions = {
  only: { type: 'string', default: '' },
  facts: { type: 'string' },
} as const satisfies ProofOptions;

const mostShown = 120;

/**
 * Holds when no model refuses what it offers, nothing of it is lost unsaid, and every token and nano-dollar
 * is equal. `facts` is compared beside it: differences are shown, and decide nothing.
 */
export function runModels({ only, facts }: ProofValues<typeof modelsOptions>, say: Say): Promise<boolean> {
  return withStack({ durable: false, onProgress: say }, async (stack) => {
    if (facts !== undefined) {
      const { models } = await stack.call(catalogOperations.snapshot, {});
      const differences = factDifferences(models, readModelsDevFacts(await loadDocument(facts)));
      for (const { model, fact, ours, theirs } of differences) say(`  ${model}: ${fact} ${ours}, there ${theirs}`);
      say(`${differences.length} facts differ from ${facts}`);
    }
    const { models, requests, notOffered, warned, refused, wrongSums } = await proveModels(stack, only);
    for (const problem of [...refused, ...wrongSums].slice(0, mostShown)) say(`  ${problem}`);
    say(`${requests} requests to ${models} models on three surfaces: ${refused.length} refused or lost,`);
    say(
      `  ${wrongSums.length} sums that differ, ${warned} with a warning, ${notOffered} kinds that a model does not offer`,
    );
    return models > 0 && refused.length === 0 && wrongSums.length === 0;
  });
}

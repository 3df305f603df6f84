import type { CatalogModel } from '@tollgate/contracts/catalog';
import { documentFormats } from '../prices/document-formats';
import { indexed, matchedEntry } from '../prices/match-prices';
import type { DocumentFacts } from './document-facts';

/** A fact that the catalog and a document tell otherwise, each as people read it. */
export interface FactDifference {
  model: string;
  fact: string;
  ours: string;
  theirs: string;
}

/**
 * What a document of models.dev tells otherwise of the models that both have. Embedding models are compared
 * by their context alone.
 */
export function factDifferences(models: readonly CatalogModel[], facts: readonly DocumentFacts[]): FactDifference[] {
  const format = documentFormats['models.dev'];
  const index = indexed(facts, format);
  return models.flatMap((model) => {
    const theirs = matchedEntry(model, index, format);
    if (!theirs) return [];
    return pairsOf(model, theirs)
      .filter(([, ours, other]) => other !== undefined && ours !== other)
      .map(([fact, ours, other]) => ({ model: model.id, fact, ours: ours ?? 'not known', theirs: other ?? '' }));
  });
}

type Pair = [fact: string, ours: string | undefined, theirs: string | undefined];

function pairsOf(model: CatalogModel, theirs: DocumentFacts): Pair[] {
  const context: Pair = ['context', count(model.contextWindow), count(theirs.contextWindow)];
  const isEnding = model.status === 'deprecated' || model.retirement !== null;
  const end: Pair = ['deprecated', yesOrNo(isEnding), yesOrNo(theirs.isDeprecated)];
  if (model.kind === 'embedding') return [context, end];
  return [
    context,
    ['output limit', count(model.maxOutputTokens), count(theirs.maxOutputTokens)],
    ['input', sorted(model.inputModalities), theirs.inputModalities && sorted(theirs.inputModalities)],
    ['reasoning', yesOrNo(model.capabilities.reasoning), yesOrNo(theirs.reasoning)],
    ['tools', yesOrNo(model.capabilities.tools), yesOrNo(theirs.tools)],
    ['structured output', yesOrNo(model.capabilities.structuredOutput), yesOrNo(theirs.structuredOutput)],
    end,
  ];
}

function count(tokens: number | null | undefined): string | undefined {
  return tokens?.toLocaleString('en-US');
}

function yesOrNo(value: boolean | undefined): string | undefined {
  return value === undefined ? undefined : value ? 'yes' : 'no';
}

function sorted(list: readonly string[]): string {
  return list.toSorted().join(', ');
}

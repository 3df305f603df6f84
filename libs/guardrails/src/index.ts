export { FindingCounts } from './finding-counts';
export { GuardrailSet } from './guardrail-set';
export { type Guard } from './guard';
export { LinearPattern } from './pattern/linear-pattern';
export { PatternError } from './pattern/parse-pattern';
export { Redactor, unclearEnd } from './redactor';
export { type TextGate } from './text-gate';

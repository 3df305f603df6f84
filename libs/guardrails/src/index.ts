export { GuardrailSet } from './guardrail-set';
export { type Guard } from './guard';
export { LinearPattern } from './pattern/linear-pattern';
export { PatternError } from './pattern/parse-pattern';
export { type TextGate } from './text-gate';

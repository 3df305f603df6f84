import { isRunOfOne } from './run-of-one';

const runs = ['a', 'aa', ' '.repeat(70_000)];
const others = ['', 'ab', 'ba', 'abab', `${' '.repeat(70_000)}\n`, `\n${' '.repeat(70_000)}`];

it.each(runs)('is one byte, again and again', (text) => expect(isRunOfOne(Buffer.from(text))).toBe(true));

it.each(others)('is nothing, or several', (text) => expect(isRunOfOne(Buffer.from(text))).toBe(false));

import type { Shown } from './appearance';

/** Fonts of another machine move what is laid out by so much, in pixels; what breaks moves it by more. */
const moved = 16;
/** A colour that was made by mixing differs a little from browser to browser. */
const keptContrast = 0.9;

/**
 * What of an appearance is gone, elsewhere, of another width or harder to read than it was, each as a text.
 * What came is no fault.
 */
export function lossesOf(before: readonly Shown[], now: readonly Shown[]): string[] {
  const left = [...now];
  return before.flatMap((one) => {
    const index = left.findIndex(({ name }) => name === one.name);
    const [found] = index < 0 ? [] : left.splice(index, 1);
    return found ? changesOf(one, found) : [`${one.name} is gone`];
  });
}

function changesOf(before: Shown, now: Shown): string[] {
  const isElsewhere = apart(before.left, now.left) || apart(before.width, now.width);
  const isFaint = before.contrast !== null && (now.contrast ?? 0) < before.contrast * keptContrast;
  return [
    ...(isElsewhere ? [`${before.name} is at ${placeOf(now)}, was at ${placeOf(before)}`] : []),
    ...(isFaint ? [`${before.name} has a contrast of ${now.contrast}, had ${before.contrast}`] : []),
  ];
}

const apart = (one: number | null, other: number | null) =>
  one !== null && (other === null || Math.abs(one - other) > moved);

const placeOf = ({ left, width }: Shown) => `${left}, ${width} px wide`;

/** Appearances by the names of pages and looks, as text that people read in a change. */
export function toText(appearances: ReadonlyMap<string, readonly Shown[]>): string {
  return [...appearances]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, shown]) => `# ${name}\n${shown.map(lineOf).join('\n')}\n`)
    .join('\n');
}

const lineOf = ({ name, left, width, contrast }: Shown) =>
  [name, left, width, contrast].map((v) => v ?? '-').join(' | ');

/** @throws Error for a line that `toText` does not write. */
export function fromText(text: string): Map<string, Shown[]> {
  const sections = text.split(/^# /m).slice(1);
  return new Map(
    sections.map((section) => {
      const [name = '', ...lines] = section.split('\n').filter((line) => line !== '');
      return [name, lines.map(toShown)];
    }),
  );
}

function toShown(line: string): Shown {
  const [, name = '', ...numbers] = /^(.*) \| (-?\d+|-) \| (\d+|-) \| ([\d.]+|-)$/.exec(line) ?? [];
  const [left, width, contrast] = numbers.map((number) => (number === '-' ? null : Number(number)));
  if (left === undefined || width === undefined || contrast === undefined) throw new Error(`What is this: ${line}`);
  return { name, left, width, contrast };
}

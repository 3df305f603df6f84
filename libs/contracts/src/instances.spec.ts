import { releasesOf } from './instances';

it('tells each release once, the one that most run first', () => {
  const running = (...versions: string[]) => versions.map((version) => ({ version }));
  expect(releasesOf([])).toEqual([]);
  expect(releasesOf(running('1.0.0', '1.0.0'))).toEqual(['1.0.0']);
  expect(releasesOf(running('1.1.0', '1.0.0', '1.0.0'))).toEqual(['1.0.0', '1.1.0']);
  expect(releasesOf(running('1.1.0', '1.0.0'))).toEqual(['1.0.0', '1.1.0']);
});

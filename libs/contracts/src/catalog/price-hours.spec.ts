import { hoursAt, hoursInWords, priceHours } from './price-hours';

const morning = priceHours.parse({
  days: [1, 2, 3, 4, 5],
  from: '01:00',
  to: '04:00',
  except: ['2027-01-01'],
  factor: '2',
});
const evening = priceHours.parse({ days: [6, 7], from: '22:30', to: '24:00', factor: '0.5' });

describe('hours of a price', () => {
  it.each([
    ['the minute before they begin', '2026-11-24T00:59:59.999Z', null],
    ['the minute at which they begin', '2026-11-24T01:00:00.000Z', morning],
    ['their last millisecond', '2026-11-24T03:59:59.999Z', morning],
    ['the minute at which they end', '2026-11-24T04:00:00.000Z', null],
    ['another day of the week', '2026-11-28T02:00:00.000Z', null],
    ['a date that is left out', '2027-01-01T02:00:00.000Z', null],
    ['the end of a Sunday', '2026-11-29T23:59:59.999Z', evening],
    ['the midnight after it', '2026-11-30T00:00:00.000Z', null],
  ])('hold or do not at %s', (_, at, expected) => {
    expect(hoursAt([morning, evening], Date.parse(at))).toEqual(expected);
  });

  it('are those that stand first where several hold, and none where a price has none', () => {
    const whole = priceHours.parse({ days: [2], from: '00:00', to: '24:00', factor: '3' });
    expect(hoursAt([whole, morning], Date.parse('2026-11-24T02:00:00Z'))).toBe(whole);
    expect(hoursAt(undefined, 0)).toBeNull();
  });

  it.each([
    ['end before they begin', { ...morning, from: '22:00', to: '02:00' }],
    ['name no day', { ...morning, days: [] }],
    ['have a time that is none', { ...morning, to: '24:30' }],
  ])('are refused where they %s', (_, hours) => {
    expect(priceHours.safeParse(hours).success).toBe(false);
  });

  it('are told in words', () => {
    expect(hoursInWords(morning)).toBe('2 × at 01:00–04:00 UTC on Mon–Fri, not on holidays');
    expect(hoursInWords(evening)).toBe('0.5 × at 22:30–24:00 UTC on Sat, Sun');
  });
});

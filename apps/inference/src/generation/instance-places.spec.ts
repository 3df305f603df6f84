import { InstancePlaces } from './instance-places';

describe('the places of an instance', () => {
  it('leave room for keys that have less than their share, and tell the others theirs', () => {
    const places = new InstancePlaces(8);
    for (let count = 0; count < 6; count += 1) expect(places.enter('flood')).toBeNull();
    // Nobody else is there yet; what runs is not stopped for who comes next.
    const refusal = { code: 'overloaded', status: 503, retryAfterS: 1 };
    const told = "6 of 8 places are your key's, whose share is 4";
    expect(places.enter('flood')).toMatchObject({ ...refusal, message: expect.stringContaining(told) });
    expect(places.enter('victim')).toBeNull();
    expect(places.enter('other')).toBeNull();
    expect(places.enter('third')).toMatchObject(refusal);
    places.leave('flood');
    expect(places.enter('third')).toBeNull();
  });
});

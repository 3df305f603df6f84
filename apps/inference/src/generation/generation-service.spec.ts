import { InstancePlaces } from './generation-service';

const refusal = { code: 'overloaded', status: 503, retryAfterS: 1 };
/** A key of an account: `a/1`, or one that is all that its account has. */
function owner(name: string): { keyId: string; accountId: string } {
  const [accountId = name] = name.split('/');
  return { keyId: name, accountId };
}

describe('the places of an instance', () => {
  it('leave room for keys that have less than their share, and tell the others theirs', () => {
    const places = new InstancePlaces(8);
    for (let count = 0; count < 6; count += 1) expect(places.enter(owner('flood'))).toBeNull();
    // Nobody else is there yet; what runs is not stopped for who comes next.
    const told = "6 of 8 places are your key's, whose share is 4";
    expect(places.enter(owner('flood'))).toMatchObject({ ...refusal, message: expect.stringContaining(told) });
    expect(places.enter(owner('victim'))).toBeNull();
    expect(places.enter(owner('other'))).toBeNull();
    expect(places.enter(owner('third'))).toMatchObject(refusal);
    places.leave(owner('flood'));
    expect(places.enter(owner('third'))).toBeNull();
  });

  it('leave whoever comes second the share that he is told', () => {
    const places = new InstancePlaces(200);
    const enterAll = (name: string) => {
      let entered = 0;
      for (;;) {
        const refused = places.enter(owner(name));
        if (refused) return { entered, message: refused.message };
        entered += 1;
      }
    };
    expect(enterAll('flood').entered).toBe(134);
    const { entered, message } = enterAll('victim');
    expect(entered).toBe(66);
    expect(message).toContain("66 of 200 places are your key's, whose share is 66");
  });

  it('leave room for other accounts, however many keys one has, and tell its keys why they have none', () => {
    const places = new InstancePlaces(16);
    const keys = Array.from({ length: 40 }, (_, number) => owner(`many/${number}`));
    expect(keys.filter((key) => places.enter(key) === null)).toHaveLength(14);
    const told = "0 of 16 places are your key's, whose share is 1; 14 are your account's, whose share is 8";
    expect(places.enter(owner('many/40'))).toMatchObject({ ...refusal, message: expect.stringContaining(told) });
    expect(['victim', 'other'].map((name) => places.enter(owner(name)))).toEqual([null, null]);
  });
});

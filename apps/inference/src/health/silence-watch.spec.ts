import { SilenceWatch } from './silence-watch';

const small = 1_000;
const a = { key: 'a', account: 'one' };
let watch: SilenceWatch;
beforeEach(() => (watch = new SilenceWatch()));

/** Streams of `small` bytes that each take 400 ms to begin. */
function learn(count = 10): void {
  for (let index = 0; index < count; index += 1) {
    const stream = {};
    watch.began(stream, a, small, index * 1_000);
    watch.answered(stream, index * 1_000 + 400);
  }
}

function wait(count: number, { caller = a, bytes = small, from = 100_000 } = {}): object[] {
  const streams = Array.from({ length: count }, () => ({}));
  for (const stream of streams) watch.began(stream, caller, bytes, from);
  return streams;
}

describe('the watch for silence', () => {
  it('hears it when five streams wait ten times as long as usual, five seconds at least', () => {
    learn();
    wait(5);
    expect(watch.silentTo(104_999)).toBeNull();
    expect(watch.silentTo(105_000)).toEqual({ caller: a, scope: 'key' });
  });

  it.each([
    [{ key: 'b', account: 'one' }, 'account'],
    [{ key: 'b', account: 'two' }, 'all'],
  ])('says that it concerns %p too', (caller, scope) => {
    learn();
    wait(4);
    wait(1, { caller });
    expect(watch.silentTo(105_000)).toEqual({ caller: a, scope });
  });

  it('gives a request that is larger than usual as much more time', () => {
    learn();
    wait(5, { bytes: small * 20 });
    expect(watch.silentTo(199_999)).toBeNull();
    expect(watch.silentTo(200_000)).toEqual({ caller: a, scope: 'key' });
  });

  it.each([
    ['a head or a comment came', () => watch.heard(101_000)],
    ['one was answered', ([stream = {}]: object[]) => watch.answered(stream, 101_000)],
    ['one left', ([stream = {}]: object[]) => watch.ended(stream)],
    ['they were judged before', () => watch.forgetWaiting()],
  ])('hears none when %s', (_what, happen: (streams: object[]) => void) => {
    learn();
    happen(wait(5));
    expect(watch.silentTo(105_500)).toBeNull();
  });

  it('does not judge before it knows what is usual', () => {
    learn(9);
    wait(50);
    expect(watch.silentTo(1_000_000)).toBeNull();
  });
});

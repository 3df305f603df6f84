import { resolveHost } from './single-transport';

const unknown = () => Promise.reject(new Error('ENOTFOUND'));
const silent = () => new Promise<string[]>(() => undefined);

/** One resolver after the other, as these say, and how many were asked and left alone again. */
function nameServers(...answers: [four: () => Promise<string[]>, six: () => Promise<string[]>][]) {
  const seen = { asked: 0, cancelled: 0 };
  const newResolver = () => {
    const [resolve4, resolve6] = answers[seen.asked++] ?? [silent, silent];
    return { resolve4, resolve6, cancel: () => void seen.cancelled++ };
  };
  return { seen, newResolver };
}

it('takes all addresses, those of IPv4 first, by one question', async () => {
  const { seen, newResolver } = nameServers([async () => ['10.0.0.7'], async () => ['fd00::7']]);
  expect(await resolveHost('nats', newResolver)).toEqual(['10.0.0.7', 'fd00::7']);
  expect(seen).toEqual({ asked: 1, cancelled: 1 });
});

it.each<[string, () => Promise<string[]>, () => Promise<string[]>]>([
  ['both', silent, silent],
  ['that for IPv4', silent, unknown],
  ['that for IPv6', async () => ['10.0.0.7'], silent],
])('asks again where %s got lost, and leaves nothing open', async (_, four, six) => {
  const { seen, newResolver } = nameServers([four, six], [async () => ['10.0.0.8'], unknown]);
  expect(await resolveHost('nats', newResolver)).toEqual(['10.0.0.8']);
  expect(seen).toEqual({ asked: 2, cancelled: 2 });
});

it('takes what the first one says late, and asks no more than five times', async () => {
  let say: (answer: string[]) => void = () => undefined;
  const late = new Promise<string[]>((resolve) => (say = resolve));
  const rest = Array.from({ length: 4 }, (): [() => Promise<string[]>, () => Promise<string[]>] => [silent, silent]);
  const { seen, newResolver } = nameServers([() => late, unknown], ...rest);
  const asking = resolveHost('nats', () => {
    if (seen.asked === 4) say(['10.0.0.9']);
    return newResolver();
  });
  expect(await asking).toEqual(['10.0.0.9']);
  expect(seen).toEqual({ asked: 5, cancelled: 5 });
});

it('leaves a name that no server knows to the system', async () => {
  const { newResolver } = nameServers([unknown, unknown]);
  expect(await resolveHost('localhost', newResolver)).toEqual(['localhost']);
});

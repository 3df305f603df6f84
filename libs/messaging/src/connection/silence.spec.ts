import { silence } from './silence';

const hour = 3_600_000;

it('asks for no sign of life until one is wanted', async () => {
  const turns = [false, false, true];
  let asked = 0;
  const connection = {
    isClosed: () => turns.length === 0,
    rtt: async () => ++asked,
    stats: () => ({ inMsgs: 0, outMsgs: 0, inBytes: 0, outBytes: 0 }),
  };
  const told: boolean[] = [];
  for await (const isSilent of silence(connection, 1, hour, () => turns.shift() ?? false)) told.push(isSilent);
  expect([asked, told]).toEqual([1, [false]]);
});

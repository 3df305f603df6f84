import { Site } from '../prove/chaos/site';
import { natsOutageReport, postgresOutageReport } from '../prove/outages/outages-report';
import { proveNatsOutage } from '../prove/outages/prove-nats-outage';
import { provePostgresOutage } from '../prove/outages/prove-postgres-outage';
import { proveRestarts, restartEnvironment } from '../prove/restarts/prove-restarts';
import { restartsReport } from '../prove/restarts/restarts-report';

// Long enough for a machine that does other things too: what hangs is ended, nothing is judged by it.
jest.setTimeout(600_000);

const onProgress = () => undefined;
/** Other tests run beside these, on few cores. */
const patience = 5;
/**
 * Two edges and two inferences over servers that can be stopped: the short forms of
 * `npm run prove -- outages` and `npm run prove -- restarts`.
 */
let site: Site;

beforeAll(async () => (site = await Site.start(onProgress, false, restartEnvironment)));
afterAll(() => site.stop(false));

it('heals when NATS was killed, and what was under way fails visibly', async () => {
  const outage = await proveNatsOutage(site, {
    ...{ perSecond: 15, kills: 1, awayMs: 2_000, calmMs: 4_000 },
    ...{ patience, onProgress },
  });
  if (!outage.holds) throw new Error(natsOutageReport(outage));
});

it('lets nobody notice that Postgres is stopped, and loses no usage', async () => {
  const outage = await provePostgresOutage(site, { perSecond: 15, awayMs: 8_000, calmMs: 2_000, onProgress });
  if (!outage.holds) throw new Error(postgresOutageReport(outage));
});

it('fails no request and cuts no stream while services are restarted and scaled', async () => {
  const proof = await proveRestarts(site.stack, {
    times: 1,
    names: ['edge', 'inference-2', 'metering', 'accounts', 'catalog'],
    scaled: ['inference-2'],
    perSecond: 15,
    onProgress,
  });
  if (!proof.holds) throw new Error(restartsReport(proof));
  expect(proof.requests).toBeGreaterThan(200);
});

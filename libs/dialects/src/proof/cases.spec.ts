import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { features, featureDetectors } from '../canonical/features';
import { providerCodecs, surfaceCodecs } from '../translations';
import { attempt } from './attempt.fixture';
import { cases } from './cases.fixture';

/** Written by UPDATE_GOLDENS=1 (then `npm run format`), compared otherwise. */
const folder = join(__dirname, 'goldens');
const isUpdate = process.env.UPDATE_GOLDENS === '1';

const said = cases.flatMap((each) =>
  surfaceCodecs.flatMap((surface) => {
    const body = each.bodies[surface.name];
    const file = `${each.name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.${surface.name}.json`;
    return typeof body === 'string' ? [] : [{ name: `${each.name} on ${surface.name}`, surface, body, file }];
  }),
);

if (isUpdate) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
}

describe('the case list', () => {
  it.each(said)(
    '$name reaches every provider as written down, or is refused with the reason',
    ({ surface, body, file }) => {
      const sent = Object.fromEntries(
        providerCodecs.map((provider) => {
          const { upstream, warnings, refusal } = attempt(surface, provider, body);
          return [provider.name, upstream ? { path: upstream.path, body: upstream.body, warnings } : { refusal }];
        }),
      );
      const golden = JSON.stringify({ request: body, sent }, null, 2);
      const path = join(folder, file);
      if (isUpdate) writeFileSync(path, `${golden}\n`);
      expect(JSON.stringify(JSON.parse(readFileSync(path, 'utf8')), null, 2)).toBe(golden);
    },
  );

  it('has no golden that nothing is compared with', () => {
    expect(existsSync(folder) ? readdirSync(folder).sort() : []).toEqual(said.map(({ file }) => file).sort());
  });

  it('says on some surface every feature that a support table speaks of', () => {
    const requests = said.map(({ surface, body }) => surface.fromRequest(body));
    const untold = features.filter((feature) => !requests.some((request) => featureDetectors[feature](request)));
    expect(untold).toEqual([]);
  });
});

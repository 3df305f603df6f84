import { rmSync } from 'node:fs';
import { firewall } from './hardening';
import { Installation } from './installation';

/** An installation on a machine where these servers say so, until the rules are made and after. */
class Scripted extends Installation {
  private isFenced = false;

  constructor(private readonly says: (host: string, isFenced: boolean) => string) {
    super(false);
  }

  override firewall(): NodeJS.ProcessEnv {
    return {};
  }

  override outside(): Promise<string> {
    return Promise.resolve('172.17.0.1');
  }

  override running(service: string): Promise<string[]> {
    return Promise.resolve([service]);
  }

  override complete(): Promise<string> {
    return Promise.resolve('text');
  }

  override follow(): ReturnType<Installation['follow']> {
    this.isFenced = true;
    return this.run('');
  }

  override run(script: string): ReturnType<Installation['run']> {
    const [, host] = /host: "([^"]+)"/.exec(script) ?? [];
    const refused = this.says('169.254.169.254', this.isFenced) === 'error, by a rule' ? 2 : 0;
    const rule = `       ${refused}      120 REJECT     0    --  *      *       0.0.0.0/0            169.254.0.0/16       reject-with x`;
    const stdout = host === undefined ? rule : this.says(host, this.isFenced).replace(/,.*/, '');
    return Promise.resolve({ stdout, tookMs: 0 });
  }
}

const metadata = '169.254.169.254';

it.each<[string, (host: string, isFenced: boolean) => string, string | null]>([
  ['a machine that the rules keep away', (_, isFenced) => (isFenced ? 'error, by a rule' : 'connect'), null],
  [
    'rules that do nothing',
    (host) => (host === metadata ? 'error' : 'connect'),
    '172.17.0.1:18443: connect, not error',
  ],
  ['a machine that was never reached', () => 'error', '172.17.0.1:18443: error, not connect'],
  [
    'metadata that nobody has',
    (host, isFenced) => (host === metadata || isFenced ? 'error' : 'connect'),
    'other than the firewall refuses 169.254.169.254',
  ],
])('the proof of the firewall sees %s', async (_, says, fault) => {
  const installation = new Scripted(says);
  const proved = firewall.run({ installation, apiKey: 'k', perSecond: 1, say: () => undefined });
  await (fault === null ? expect(proved).resolves.toBeUndefined() : expect(proved).rejects.toThrow(fault));
  rmSync(installation.folder, { recursive: true });
});

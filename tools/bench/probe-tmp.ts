import { startStack } from '../stack/stack';
import { LoadRun } from './load/load-run';
import { plainBody } from './request-bodies';
(async () => {
  const stack = await startStack({ dataFolder: '/tmp/bench-probe', environment: { LOG_LEVEL: 'info', NODE_OPTIONS: process.env.PROF ?? '' } });
  try {
    const { apiKey } = await stack.createKey({ name: 'bench', plan: 'enterprise', rpm: null, quotaTokens: null });
    const models = await (await fetch(stack.baseUrl + '/v1/models', { headers: { authorization: 'Bearer ' + apiKey } })).json() as { data: { id: string }[] };
    const model = models.data[0]!.id; console.log(model);
    for (let i = 0; i < 3; i++) {
      const r = await new LoadRun({ kind: 'saturated', url: stack.baseUrl + '/v1/chat/completions', headers: { 'content-type': 'application/json', authorization: 'Bearer ' + apiKey }, body: plainBody(model), durationS: 7, connections: 32 }).run();
      console.log(JSON.stringify(r));
    }
  } finally { await stack.stop(); }
})();

import { planFields } from './limit-choice';

const limit = { choice: 'own' as const, own: '12' };
const limits = { rpm: limit, tpm: limit, quotaTokens: limit, concurrency: limit, modelLimits: '', reason: '' };
const faultOf = (plan: string, taken: readonly string[]) =>
  planFields(taken).safeParse({ ...limits, plan }).error?.issues[0];

it('a new plan has the name of none that there is', () => {
  const taken = ['beta', 'enterprise'];
  expect(faultOf('enterprise', taken)).toMatchObject({
    path: ['plan'],
    message: 'There is a plan of this name already. Choose another name, or change that plan.',
  });
  expect(faultOf('enterprise-eu', taken)).toBeUndefined();
});

it('a plan that is changed keeps its name', () => expect(faultOf('enterprise', [])).toBeUndefined());

it.each(['', 'Weekend', '1st', 'of two words'])('no plan is called %j', (plan) =>
  expect(faultOf(plan, [])).toMatchObject({ path: ['plan'], message: 'Use lower-case letters, digits and dashes.' }),
);

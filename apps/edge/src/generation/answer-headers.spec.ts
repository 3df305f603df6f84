import { answerHeaders } from './answer-headers';

describe('the headers of an upstream answer', () => {
  it('reach the caller only when they are on the list', () => {
    const headers = {
      'content-type': 'application/json',
      'x-gateway-provider': 'openai',
      'set-cookie': 'a=b',
      'x-ratelimit-remaining-requests': '3',
      'openai-organization': 'ours',
      server: 'x',
    };
    expect(answerHeaders(headers)).toEqual({ 'content-type': 'application/json', 'x-gateway-provider': 'openai' });
  });
});

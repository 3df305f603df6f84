import { audit } from './audit';
import type { Visit } from './limited-client';

const visit = (sentAt: number, status = 200, hasWaited = false): Visit => ({
  sentAt,
  answeredAt: sentAt + 10,
  status,
  tokens: 0,
  retryAfterS: status === 429 ? 1 : null,
  hasWaited,
});

describe('the audit of a limited key', () => {
  it('finds one request too many in 60 seconds, and allows one that may have been admitted after them', () => {
    expect(
      audit(
        [0, 1_000, 59_980].map((time) => visit(time)),
        2,
      ).mostInWindow,
    ).toBe(3);
    expect(
      audit(
        [0, 1_000, 59_995].map((time) => visit(time)),
        2,
      ).mostInWindow,
    ).toBe(2);
  });

  it('finds the most tokens in 60 seconds, of what was let in alone', () => {
    const visits = [visit(0), visit(1_000), visit(2_000, 429), visit(59_980), visit(70_000)];
    const used = [10, 20, 0, 30, 40].map((tokens, index) => ({ ...(visits[index] ?? visit(0)), tokens }));
    expect(audit(used, 9).mostTokensInWindow).toBe(70);
  });

  it('counts what an exact limiter would have admitted of the same requests', () => {
    const visits = [0, 100, 200, 60_050, 60_099, 60_111].map((time) => visit(time, time === 60_111 ? 429 : 200));
    expect(audit(visits, 2)).toMatchObject({ admissible: 4, admitted: 5 });
  });

  it('counts how often waiting helped, and answers of another kind', () => {
    const visits = [visit(0, 200, true), visit(1, 429, true), visit(2, 429), visit(3, 503)];
    expect(audit(visits, 9)).toMatchObject({ waited: 2, waitedAdmitted: 1, strange: 1 });
  });
});

import { failureReason } from './failures/failure-reason';
import { failureText } from './failure-text';
import type { LaterReport } from './later-reports';

const at = new Date('2026-01-31T12:00:00Z');

describe('failureText', () => {
  const delivered: LaterReport[] = [{ status: 'delivered', at }];
  const failed = { errorCode: '4', errorMessage: failureReason('4'), message: 'Hello' };

  it('is the stored text, as long as nothing else was reported', () => {
    expect(failureText(failed)).toBe(failed.errorMessage);
    expect(failureText({ message: 'Hello', laterReports: [{ status: 'failed', at }] })).toBeUndefined();
  });

  it('replaces the fix by what was reported afterwards', () => {
    const advice = 'Afterwards the phone reported that the network delivered it. Do not send it again.';
    expect(failureText({ ...failed, laterReports: delivered })).toBe(`The phone has no service. ${advice}`);
    expect(failureText({ ...failed, errorMessage: 'No signal', laterReports: delivered })).toBe(
      `No signal. ${advice}`,
    );
    expect(
      failureText({ ...failed, errorCode: '99', errorMessage: failureReason('99'), laterReports: delivered }),
    ).toBe(`The phone reported a failure (code 99). ${advice}`);
  });
});

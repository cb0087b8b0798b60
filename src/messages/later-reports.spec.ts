import { failureReason, failureText } from './failures/failure-reason';
import {
  CONTRADICTED,
  LATER_STATUSES,
  type LaterReport,
  laterReportText,
  laterStatusOf,
} from './later-reports';

const at = new Date('2026-01-31T12:00:00Z');

describe('laterReportText', () => {
  it.each(LATER_STATUSES)('says what was reported and what to do: %s', (status) => {
    for (const parts of [1, 3]) {
      const text = laterReportText({ status, at, errorCode: '1' }, 'Front desk', parts);
      expect(text).toMatch(/^Afterwards Front desk reported that .*\. .*send it again\.$/);
      expect(text.includes('a part')).toBe(parts > 1);
    }
  });

  it('never suggests to send again what the network delivered', () => {
    expect(laterReportText({ status: 'delivered', at }, 'the phone', 1)).toContain('Do not send it again.');
    expect(laterReportText({ status: 'delivered', at }, 'the phone', 2)).toContain('ask the recipient');
  });
});

it('knows only statuses that can contradict a final one', () => {
  expect(['sent', 'delivered', 'failed', 'delivery_failed', 'queued', ''].map(laterStatusOf)).toEqual([
    ...LATER_STATUSES,
    undefined,
    undefined,
  ]);
  expect(Object.values(CONTRADICTED).every((status) => ['delivered', 'failed'].includes(status))).toBe(true);
});

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

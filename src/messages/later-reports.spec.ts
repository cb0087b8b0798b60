import { CONTRADICTED, LATER_STATUSES, laterReportText, laterStatusOf } from './later-reports';

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

import { nightHours } from './hours';

describe('nightHours', () => {
  const NOW = new Date('2026-01-31T12:00:00Z');

  it('are those of the time zone, and stand for hours in UTC', () => {
    expect(nightHours('en-GB', 'UTC', NOW).slice(0, 2)).toEqual([
      { value: '0', label: '00:00' },
      { value: '1', label: '01:00' },
    ]);
    expect(nightHours('en-GB', 'Europe/Berlin', NOW)[0]).toEqual({ value: '23', label: '00:00' });
    expect(nightHours('en-GB', 'Asia/Kolkata', NOW)[0]).toEqual({ value: '19', label: '00:30' });
    expect(nightHours('de', 'America/New_York', NOW)).toHaveLength(24);
  });
});

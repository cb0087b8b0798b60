import { readSendTime } from './send-time';

describe('the time of a campaign', () => {
  it.each([
    ['2027-01-28 09:00', 'Europe/Berlin', '2027-01-28T08:00:00.000Z'],
    ['2027-07-28T09:00', 'Europe/Berlin', '2027-07-28T07:00:00.000Z'],
    ['2027-07-28 09:00:30', 'Asia/Kathmandu', '2027-07-28T03:15:30.000Z'],
    ['2027-07-28 09:00', 'America/St_Johns', '2027-07-28T11:30:00.000Z'],
    ['2027-07-28 09:00', 'UTC', '2027-07-28T09:00:00.000Z'],
    ['2027-12-31 23:30', 'America/Los_Angeles', '2028-01-01T07:30:00.000Z'],
    ['2027-03-28T09:00+02:00', undefined, '2027-03-28T07:00:00.000Z'],
    ['2027-03-28 09:00Z', undefined, '2027-03-28T09:00:00.000Z'],
  ])('%s in %s is %s', (at, zone, instant) => {
    expect(readSendTime(at, zone).toISOString()).toBe(instant);
  });

  it.each([
    ['2027-03-28 01:59', '2027-03-28T00:59:00.000Z'],
    ['2027-03-28 03:00', '2027-03-28T01:00:00.000Z'],
    ['2026-10-25 01:59', '2026-10-24T23:59:00.000Z'],
    ['2026-10-25 03:00', '2026-10-25T02:00:00.000Z'],
  ])('%s is beside a change of the clocks, and is %s', (at, instant) => {
    expect(readSendTime(at, 'Europe/Berlin').toISOString()).toBe(instant);
  });

  it.each([
    ['2027-03-28 02:00', 'Europe/Berlin'],
    ['2027-03-28 02:59', 'Europe/Berlin'],
    ['2027-03-14 02:30', 'America/New_York'],
    ['2026-10-04 02:15', 'Australia/Lord_Howe'],
  ])('refuses %s in %s, which no clock shows', (at, zone) => {
    expect(() => readSendTime(at, zone)).toThrow(`${at} does not exist in ${zone}`);
  });

  it('refuses a time that comes twice, and says how to name each', () => {
    expect(() => readSendTime('2026-10-25 02:30', 'Europe/Berlin')).toThrow(
      'exists twice in Europe/Berlin: the clocks go back. Use one of them, without --zone: --at 2026-10-25T02:30+02:00 or --at 2026-10-25T02:30+01:00',
    );
    expect(readSendTime('2026-10-25T02:30+02:00', undefined).toISOString()).toBe('2026-10-25T00:30:00.000Z');
    expect(() => readSendTime('2026-11-01 01:30', 'America/New_York')).toThrow('-04:00 or');
  });

  it.each([
    ['2027-07-28 09:00', undefined, 'has no zone'],
    ['2027-07-28T09:00Z', 'Europe/Berlin', 'remove --zone'],
    ['2027-07-28 09:00', 'Mars/Olympus', '--zone Mars/Olympus is not an IANA time zone'],
    ['2027-02-30 09:00', 'UTC', 'is not a valid time'],
    ['2027-02-30T09:00Z', undefined, 'is not a valid time'],
    ['2027-02-28 25:00', 'UTC', 'is not a valid time'],
    ['tomorrow', 'UTC', '--at must be a time such as'],
    ['9:00', 'UTC', '--at must be a time such as'],
  ])('refuses %s in %s', (at, zone, reason) => {
    expect(() => readSendTime(at, zone)).toThrow(reason);
  });
});

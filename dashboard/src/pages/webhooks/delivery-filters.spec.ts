import { filterQuery, readFilters } from './delivery-filters';

describe('the filters of deliveries', () => {
  it('leave out what they cannot be', () => {
    const search = { status: 'broken', event: 'SMS_STATUS_UPDATED', from: 'today', to: '2026-99-01' };
    expect(readFilters(search)).toEqual({});
    expect(readFilters({ status: 'failed', event: 'MESSAGE_SENT', from: '2026-01-31' })).toEqual({
      status: 'failed',
      event: 'MESSAGE_SENT',
      from: '2026-01-31',
    });
  });

  it('are whole days of the time zone', () => {
    const day = { from: '2026-03-29', to: '2026-03-29' };
    // The clocks change on this day, which has 23 hours.
    expect(filterQuery(day, 'Europe/Berlin')).toMatchObject({
      start: '2026-03-28T23:00:00.000Z',
      end: '2026-03-29T21:59:59.999Z',
    });
    expect(filterQuery({ to: '2026-01-31' }, 'UTC')).toMatchObject({
      start: '2000-01-01T00:00:00.000Z',
      end: '2026-01-31T23:59:59.999Z',
    });
    expect(filterQuery({}, 'UTC')).toEqual({});
  });
});

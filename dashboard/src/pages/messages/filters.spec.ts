import { chosenStatus, fromQueryString, readFilters, statusFilters, toQueryString } from './filters';

describe('the filters of the message list', () => {
  it('are read from an address, whose numbers the router parses', () => {
    expect(readFilters({ status: 'failed', cancelled: false, suppressed: false })).toEqual(
      statusFilters('failed'),
    );
    expect(readFilters({ status: 'failed', search: 4711, direction: 'all', recipient: '', page: 3 })).toEqual(
      {
        status: 'failed',
        search: '4711',
      },
    );
  });

  it('survive being saved as a view', () => {
    const filters = { recipient: '+447700900123', search: 'a & b = c', from: '2026-01-31T09:00:00.000Z' };
    expect(fromQueryString(toQueryString(filters))).toEqual(filters);
  });

  it('tell cancelled and suppressed messages apart from failed ones', () => {
    expect(toQueryString(statusFilters('failed'))).toBe('status=failed&cancelled=false&suppressed=false');
    expect(toQueryString(statusFilters('cancelled'))).toBe('status=failed&cancelled=true');
    expect(toQueryString(statusFilters('suppressed'))).toBe('status=failed&suppressed=true');
    expect(toQueryString({ ...statusFilters('suppressed'), ...statusFilters('cancelled') })).toBe(
      'status=failed&cancelled=true',
    );
    expect(toQueryString({ ...statusFilters('cancelled'), ...statusFilters('sent') })).toBe('status=sent');
    expect(toQueryString({ ...statusFilters('cancelled'), ...statusFilters(undefined) })).toBe('');
    for (const choice of ['failed', 'cancelled', 'suppressed', 'delivered'] as const)
      expect(chosenStatus(statusFilters(choice))).toBe(choice);
    expect(chosenStatus({ status: 'failed' })).toBe('failed');
  });

  it('have one query string, whatever their order', () => {
    expect(toQueryString({ status: 'failed', direction: 'sent' })).toBe('direction=sent&status=failed');
    expect(toQueryString({ direction: 'sent', status: 'failed' })).toBe('direction=sent&status=failed');
    expect(toQueryString({})).toBe('');
  });
});

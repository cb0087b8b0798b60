import { bySort, groupProblems, type Problem, remedyOf } from './problems';

const problem = (
  code: Problem['code'],
  subject: Problem['subject'],
  severity: Problem['severity'] = 'error',
) => ({ code, subject, severity, text: '', remedy: '' }) satisfies Problem;

describe('problems', () => {
  it('are grouped by kind, in the order of the API', () => {
    const offline = [1, 2].map((n) =>
      problem('phone_offline', { type: 'device', id: String(n), name: `Phone ${n}` }),
    );
    const [first, second] = offline as [Problem, Problem];
    const low = problem('battery_low', { type: 'device', id: '1', name: 'Phone 1' }, 'warning');
    expect(groupProblems([first, low, second])).toEqual([
      { code: 'phone_offline', severity: 'error', problems: offline },
      { code: 'battery_low', severity: 'warning', problems: [low] },
    ]);
    expect(groupProblems([])).toEqual([]);
  });

  it('are apart from what is as its owner has set it', () => {
    const sim = { type: 'sim', id: 's', name: 'Work' } as const;
    const all = [
      problem('sim_unhealthy', sim, 'error'),
      problem('battery_low', { type: 'device', name: '' }, 'warning'),
      problem('sim_limit_reached', sim, 'info'),
    ];
    expect(bySort(all)).toEqual({ faults: all.slice(0, 2), notes: all.slice(2) });
  });

  const target = (code: Problem['code'], subject: Problem['subject'], isOperator = false) =>
    remedyOf({ code, subject }, (sim) => (sim === 's1' ? 'd1' : undefined), isOperator)?.target;

  it('lead to the page where they are fixed', () => {
    expect(target('phone_offline', { type: 'device', id: 'd1', name: '' })).toEqual({
      to: '/phones/$id',
      id: 'd1',
    });
    expect(target('sim_unhealthy', { type: 'sim', id: 's1', name: '' })).toEqual({
      to: '/phones/$id',
      id: 'd1',
      sim: 's1',
    });
    expect(target('sim_unhealthy', { type: 'sim', id: 's2', name: '' })).toEqual({ to: '/phones' });
    expect(target('webhook_paused', { type: 'webhook', id: 'w', name: '' })).toEqual({
      to: '/webhooks/$id',
      id: 'w',
    });
    expect(target('pool_unusable', { type: 'pool', id: 'p', name: '' })).toEqual({
      to: '/pools/$id',
      id: 'p',
    });
    expect(target('plan_used_up', { type: 'account', id: 'a', name: '' })).toEqual({ to: '/account' });
    expect(target('no_phone', { type: 'account', id: 'a', name: '' })).toEqual({
      to: '/phones',
      isPairing: true,
    });
  });

  it('of the service lead only operators somewhere', () => {
    const subject = { type: 'service', name: 'Push notifications' } as const;
    expect(target('push_not_set_up', subject)).toBeUndefined();
    expect(target('push_not_set_up', subject, true)).toEqual({ to: '/operations' });
  });
});

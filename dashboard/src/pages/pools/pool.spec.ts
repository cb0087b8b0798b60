import type { Device, Sim } from '../../components/phones/phone';
import { canSend, membersOf, type Pool, poolState, toFormErrors, toPoolBody, toPoolForm } from './pool';

const device = (_id: string, fields: Partial<Device> = {}) =>
  ({ _id, enabled: true, connection: { state: 'online', since: '' }, ...fields }) as unknown as Device;

const sim = (_id: string, fields: Partial<Sim> = {}): Sim => ({
  _id,
  device: 'phone',
  subscriptionId: 1,
  enabled: true,
  health: { state: 'closed', failureRate: 0 },
  limits: {},
  usage: {},
  ...fields,
});

describe('the members of a pool', () => {
  const health = { failureRate: 0.5 };
  const reached = { limits: { messagesPerDay: 5 }, usage: { messagesPerDay: { used: 5 } } };

  it.each([
    ['ok', {}, {}],
    ['trial', { health: { ...health, state: 'half-open' } }, {}],
    ['unhealthy', { health: { ...health, state: 'open' } }, {}],
    ['limits', { ...reached, health: { ...health, state: 'open' } }, {}],
    ['unreachable', reached, { connection: { state: 'unresponsive', since: '' } }],
    ['draining', reached, { drainingSince: '2026-01-01T00:00:00.000Z' }],
    ['disabled', { enabled: false }, { drainingSince: '2026-01-01T00:00:00.000Z' }],
    ['disabled', {}, { enabled: false }],
  ] as const)('are %s', (state, ofSim, ofDevice) => {
    const senders = {
      sims: [sim('a', ofSim)],
      devices: [device('phone', ofDevice)],
      queue: undefined,
    };
    const [member] = membersOf({ sims: ['a', 'gone'] }, senders);
    expect(member).toMatchObject({ state, waiting: 0 });
    expect(member && canSend(member)).toBe(state === 'ok' || state === 'trial');
  });

  it('make a pool that works, works with less, waits as its owner has set it, or is down', () => {
    const member = (
      state: 'ok' | 'trial' | 'limits' | 'disabled' | 'draining' | 'unreachable' | 'unhealthy',
    ) => ({
      sim: sim('a'),
      state,
      waiting: 0,
    });
    expect(poolState([member('ok'), member('disabled'), member('limits')])).toBe('ok');
    expect(poolState([member('trial'), member('unreachable')])).toBe('reduced');
    expect(poolState([member('limits'), member('disabled'), member('draining')])).toBe('asSet');
    expect(poolState([member('limits'), member('unhealthy')])).toBe('down');
    expect(poolState([])).toBe('down');
  });

  it('finds no phone for a card that was taken out', () => {
    const senders = {
      sims: [sim('out', { subscriptionId: undefined }), sim('in')],
      devices: [device('phone')],
      queue: {
        messages: 3,
        parts: 3,
        isLowerBound: false,
        sims: [{ device: 'phone', sim: 'in', messages: 3, parts: 3, heldBack: [] }],
      },
    };
    const [out, inside] = membersOf({ sims: ['out', 'in'] }, senders);
    expect(out?.device).toBeUndefined();
    expect(out?.state).toBe('unreachable');
    expect(inside).toMatchObject({ state: 'ok', waiting: 3 });
  });
});

describe('the form of a pool', () => {
  const pool: Pool = {
    _id: 'pool',
    name: 'Orders',
    sims: ['a', 'b'],
    strategy: 'round-robin',
    countries: { '+49': ['a'], '+881': [] },
    isDefault: true,
    createdAt: '',
    updatedAt: '',
  };

  it('sends what it was given', () => {
    const { name, sims, strategy, countries, isDefault } = pool;
    expect(toPoolBody(toPoolForm(pool))).toEqual({ name, sims, strategy, countries, isDefault });
    expect(toPoolBody(toPoolForm()).countries).toBeNull();
  });

  it('finds the field of an error', () => {
    const errors = {
      name: '1',
      'sims.3': '2',
      'countries.+49.0': '3',
      'countries.+881': '4',
      'countries.+4.0': '5',
    };
    expect(toFormErrors(errors, toPoolForm(pool))).toEqual({
      name: '1',
      sims: '2',
      'rules.0.sims': '3',
      'rules.1.prefix': '4',
      'countries.+4.0': '5',
    });
  });
});

import { sendingState } from './senders';

type State = Parameters<typeof sendingState>[0];

const device = (fields = {}) =>
  ({
    _id: 'phone',
    enabled: true,
    connection: { state: 'online', since: '' },
    ...fields,
  }) as State['devices'][number];
const sim = (fields = {}) =>
  ({
    _id: 'sim',
    device: 'phone',
    enabled: true,
    health: { state: 'closed', failureRate: 0 },
    limits: {},
    usage: {},
    ...fields,
  }) as State['sims'][number];
const state = (ofDevice = {}, ofSim = {}) =>
  sendingState({ devices: [device(ofDevice)], sims: [sim(ofSim)] });

describe('the state of senders that a forecast is of', () => {
  it.each([
    ['the phone is offline', { connection: { state: 'offline', since: '' } }, {}],
    ['the phone does not answer', { connection: { state: 'unresponsive', since: '' } }, {}],
    ['the phone is disabled', { enabled: false }, {}],
    ['the phone drains', { drainingSince: '2026-01-31T12:00:00.000Z' }, {}],
    ['the SIM is disabled', {}, { enabled: false }],
    ['the SIM is unhealthy', {}, { health: { state: 'open', failureRate: 1 } }],
    ['the SIM has another limit', {}, { limits: { messagesPerDay: 5 } }],
    ['the SIM is in another phone', {}, { device: 'other' }],
  ])('changes when %s', (_, ofDevice, ofSim) => {
    expect(state(ofDevice, ofSim)).not.toBe(state());
  });

  it('does not change with what says nothing about it', () => {
    const contact = {
      lastContactAt: '2026-01-31T12:00:00.000Z',
      connection: { state: 'online', since: 'later' },
    };
    expect(state(contact, { health: { state: 'closed', failureRate: 0.1 } })).toBe(state());
  });
});

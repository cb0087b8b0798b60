import { Types } from 'mongoose';
import type { ConnectionState } from '../states/connection-state';
import { connectionEvent, type ConnectionTransition, transitionOf } from './connection-transition';

const NOW = new Date('2026-01-31T12:00:00Z');
const ago = (seconds: number) => new Date(NOW.getTime() - seconds * 1_000);

describe('transitionOf', () => {
  it.each<
    [string, ConnectionState | undefined, ConnectionState, since: number, expected: ConnectionTransition]
  >([
    ['announces nothing of a device that stays online', 'online', 'online', 9, { state: 'online' }],
    ['takes a device that was never checked for online', undefined, 'online', 9, { state: 'online' }],
    [
      'waits 90 s before it announces that a device is away',
      'online',
      'unresponsive',
      89,
      { state: 'online', dueAt: ago(-1) },
    ],
    ['then announces it', 'online', 'unresponsive', 90, { state: 'unresponsive', event: 'DEVICE_OFFLINE' }],
    [
      'announces it on the first check',
      undefined,
      'offline',
      90,
      { state: 'offline', event: 'DEVICE_OFFLINE' },
    ],
    ['announces a device once while it stays away', 'offline', 'offline', 9_000, { state: 'offline' }],
    ['raises nothing between two states of being away', 'unresponsive', 'offline', 9, { state: 'offline' }],
    ['announces a return at once', 'offline', 'online', 0, { state: 'online', event: 'DEVICE_ONLINE' }],
  ])('%s', (_, announced, state, since, expected) => {
    expect(transitionOf(announced, { state, since: ago(since) }, NOW)).toEqual(expected);
  });
});

describe('connectionEvent', () => {
  it('stores no field without a value, and has an id of its own', () => {
    const device = { _id: new Types.ObjectId(), brand: 'google', model: 'Pixel 8' };
    const connection = { state: 'offline', since: ago(90) } as const;
    const event = connectionEvent('DEVICE_OFFLINE', device, connection, 3, NOW);
    expect(event).toStrictEqual({
      id: expect.any(Types.ObjectId) as Types.ObjectId,
      event: 'DEVICE_OFFLINE',
      at: NOW,
      device: device._id,
      details: {
        brand: 'google',
        model: 'Pixel 8',
        state: 'offline',
        since: ago(90).toISOString(),
        pendingCount: 3,
      },
    });
    const other = connectionEvent('DEVICE_OFFLINE', device, connection, 3, NOW);
    expect(other.id).not.toEqual(event.id);
  });
});

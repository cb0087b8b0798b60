import { Types } from 'mongoose';
import { KnownDevice, matchDevice } from './device-matching';

const NOW = new Date('2026-01-31T12:00:00Z');
const minutesAgo = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000);
const model = { brand: 'google', model: 'Pixel 8', buildId: 'AP2A.1' };

function device(fields: Partial<KnownDevice>): KnownDevice {
  return { _id: new Types.ObjectId(), ...model, heartbeatIntervalMinutes: 30, ...fields };
}

describe('matchDevice', () => {
  it('matches by serial, then by push token, then by model', () => {
    const bySerial = device({ serial: 'S' });
    const byToken = device({ fcmToken: 'T' });
    const byModel = device({});
    const all = [byModel, byToken, bySerial];
    expect(matchDevice(all, { ...model, serial: 'S', fcmToken: 'T' }, NOW)).toBe(bySerial);
    expect(matchDevice(all, { ...model, fcmToken: 'T' }, NOW)).toBe(byToken);
    expect(matchDevice([byModel], { ...model, fcmToken: 'new' }, NOW)).toBe(byModel);
  });

  it('matches a device of the same model only if it has missed two heartbeats', () => {
    expect(matchDevice([device({ lastHeartbeat: minutesAgo(59) })], model, NOW)).toBeUndefined();
    const silentForAnHour = device({ lastHeartbeat: minutesAgo(61) });
    const silentForHours = device({ lastHeartbeat: minutesAgo(600) });
    expect(matchDevice([silentForHours, silentForAnHour], model, NOW)).toBe(silentForAnHour);
    expect(
      matchDevice([device({ heartbeatIntervalMinutes: 60, lastHeartbeat: minutesAgo(100) })], model, NOW),
    ).toBeUndefined();
  });

  it('does not match another or an unknown model, or another serial', () => {
    const known = [device({ serial: 'S' })];
    expect(matchDevice(known, { ...model, serial: 'other' }, NOW)).toBeUndefined();
    expect(matchDevice(known, { ...model, model: 'Pixel 9' }, NOW)).toBeUndefined();
    expect(matchDevice([device({})], { brand: 'google', model: 'Pixel 8' }, NOW)).toBeUndefined();
    const unknown = { brand: 'unknown', model: 'unknown', buildId: 'unknown' };
    expect(matchDevice([device(unknown)], unknown, NOW)).toBeUndefined();
  });
});

import { Types } from 'mongoose';
import { KnownDevice, recognise } from './device-recognition';

const NOW = new Date('2026-01-31T12:00:00Z');
const minutesAgo = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000);
const make = { brand: 'google', model: 'Pixel 8', buildId: 'AP2A.1' };

function device(fields: Partial<KnownDevice>): KnownDevice {
  return { _id: new Types.ObjectId(), ...make, heartbeatIntervalMinutes: 30, ...fields };
}

describe('a phone that registers again', () => {
  it('is recognised by its serial before its token, and by its token before its make', () => {
    const bySerial = device({ serial: 'S' });
    const byToken = device({ fcmToken: 'T' });
    const byMake = device({});
    const all = [byMake, byToken, bySerial];
    expect(recognise(all, { ...make, serial: 'S', fcmToken: 'T' }, NOW)).toBe(bySerial);
    expect(recognise(all, { ...make, fcmToken: 'T' }, NOW)).toBe(byToken);
    expect(recognise([byMake], { ...make, fcmToken: 'new' }, NOW)).toBe(byMake);
  });

  it('is one of the same make only if that one is silent', () => {
    expect(recognise([device({ lastHeartbeat: minutesAgo(59) })], make, NOW)).toBeUndefined();
    const silent = device({ lastHeartbeat: minutesAgo(61) });
    const longer = device({ lastHeartbeat: minutesAgo(600) });
    expect(recognise([longer, silent], make, NOW)).toBe(silent);
    expect(
      recognise([device({ heartbeatIntervalMinutes: 60, lastHeartbeat: minutesAgo(100) })], make, NOW),
    ).toBeUndefined();
  });

  it('is never one of another make, of an unknown make, or with another serial', () => {
    const known = [device({ serial: 'S' })];
    expect(recognise(known, { ...make, serial: 'other' }, NOW)).toBeUndefined();
    expect(recognise(known, { ...make, model: 'Pixel 9' }, NOW)).toBeUndefined();
    expect(recognise([device({})], { brand: 'google', model: 'Pixel 8' }, NOW)).toBeUndefined();
    const unknown = { brand: 'unknown', model: 'unknown', buildId: 'unknown' };
    expect(recognise([device(unknown)], unknown, NOW)).toBeUndefined();
  });
});

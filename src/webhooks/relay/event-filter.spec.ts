import { Types } from 'mongoose';
import { type EventFilter, type EventOrigin, passesFilter } from './event-filter';

const id = (digit: number) => new Types.ObjectId(String(digit).repeat(24));
const [PHONE, OTHER, POOL, SIM, OTHER_SIM] = [1, 2, 3, 4, 5].map(id);
const POOL_FILTER: EventFilter = {
  poolIds: [id(3)],
  poolSims: [{ _id: id(4), device: id(1), subscriptionId: 7 }],
};
const DEVICE_FILTER: EventFilter = { deviceIds: [id(1)], poolSims: [] };

describe('passesFilter', () => {
  it.each<[string, EventFilter, EventOrigin, boolean]>([
    ['everything without a filter', { poolSims: [] }, { device: PHONE }, true],
    ['what has no device without a filter', { poolSims: [] }, {}, true],
    ['its device', DEVICE_FILTER, { device: PHONE, sim: OTHER_SIM, pool: OTHER }, true],
    ['another device', DEVICE_FILTER, { device: OTHER }, false],
    ['what has no device', DEVICE_FILTER, {}, false],
    ['what was sent to its pool, by whichever phone', POOL_FILTER, { device: OTHER, pool: POOL }, true],
    ['what a SIM of its pool sent', POOL_FILTER, { device: OTHER, sim: SIM }, true],
    ['what another SIM of the phone sent', POOL_FILTER, { device: PHONE, sim: OTHER_SIM }, false],
    ['what a SIM of its pool received', POOL_FILTER, { device: PHONE, subscriptionId: 7 }, true],
    ['what another SIM of the phone received', POOL_FILTER, { device: PHONE, subscriptionId: 8 }, false],
    ['an event of a phone with a SIM of its pool', POOL_FILTER, { device: PHONE }, true],
    ['an event of another phone', POOL_FILTER, { device: OTHER, subscriptionId: 7 }, false],
    ['what was sent to another pool', POOL_FILTER, { device: OTHER, pool: OTHER }, false],
    ['either of both', { ...POOL_FILTER, deviceIds: [id(2)] }, { device: OTHER }, true],
    ['a pool that is gone', { poolIds: [id(3)], poolSims: [] }, { device: PHONE }, false],
  ])('%s', (_, filter, origin, passes) => {
    expect(passesFilter(filter, origin)).toBe(passes);
  });
});

import { Types } from 'mongoose';
import type { OperationalEntry } from '../../devices/events/operational-event';
import { type FilteredSubscriber, operationalDeliveries } from './event-deliveries';

describe('operationalDeliveries', () => {
  const [device, otherDevice, sim] = [new Types.ObjectId(), new Types.ObjectId(), new Types.ObjectId()];
  const poolSims = [{ _id: sim, device, subscriptionId: 1 }];
  const subscriber = (fields: Partial<FilteredSubscriber>): FilteredSubscriber => ({
    _id: new Types.ObjectId(),
    user: new Types.ObjectId(),
    events: ['DEVICE_OFFLINE', 'SIM_UNHEALTHY'],
    poolSims: [],
    ...fields,
  });
  const everything = subscriber({});
  const ofDevice = subscriber({ deviceIds: [device] });
  const ofPool = subscriber({ poolIds: [new Types.ObjectId()], poolSims });
  const entry = (event: OperationalEntry['event'], of: Types.ObjectId | undefined, details: object) =>
    ({
      id: new Types.ObjectId(),
      event,
      at: new Date(),
      ...(of && { device: of }),
      details,
    }) as OperationalEntry;

  it.each([
    ['of a phone', entry('DEVICE_OFFLINE', device, {}), [everything, ofDevice, ofPool]],
    ['of another phone', entry('DEVICE_OFFLINE', otherDevice, {}), [everything]],
    [
      'of a SIM',
      entry('SIM_UNHEALTHY', device, { simId: sim.toHexString() }),
      [everything, ofDevice, ofPool],
    ],
    [
      'of another SIM of the phone',
      entry('SIM_UNHEALTHY', device, { simId: otherDevice.toHexString() }),
      [everything, ofDevice],
    ],
    [
      'of a SIM without a phone',
      entry('SIM_UNHEALTHY', undefined, { simId: sim.toHexString() }),
      [everything, ofPool],
    ],
  ])('go to the subscriptions that are not limited to others: %s', (_, raised, expected) => {
    const { deliveries } = operationalDeliveries({ outbox: [raised] }, [everything, ofDevice, ofPool]);
    expect([...deliveries].map(({ webhookSubscription }) => webhookSubscription)).toEqual(
      expected.map(({ _id }) => _id),
    );
  });
});

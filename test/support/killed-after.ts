import { getConnectionToken } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { DeliveryQueue } from '../../src/webhooks/deliveries/delivery.queue';
import type { TestService } from './service';

/**
 * Does work as a process does it that dies after so many steps: operations on the database, and wake-ups of the
 * delivery workers. Those steps are done, and none after them.
 * @returns whether it died before the work was done.
 */
export async function killedAfter(
  steps: number,
  service: TestService,
  work: () => Promise<void>,
): Promise<boolean> {
  const death = new Error('killed');
  let left = steps;
  const step = () => {
    if (left === 0) throw death;
    left -= 1;
  };
  const connection = service.app.get<Connection>(getConnectionToken(), { strict: false });
  const queue = service.get(DeliveryQueue);
  const enqueue = queue.enqueue.bind(queue);
  // Mongoose calls it before every operation that it gives to the driver.
  connection.set('debug', step);
  const spy = jest.spyOn(queue, 'enqueue').mockImplementation(async (subscriptions) => {
    step();
    return enqueue(subscriptions);
  });
  try {
    await work();
    return false;
  } catch (failure) {
    if (failure !== death) throw failure;
    return true;
  } finally {
    connection.set('debug', false);
    spy.mockRestore();
  }
}

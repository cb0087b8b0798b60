import { getConnectionToken } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { DeliveryQueue } from '../../src/webhooks/runners/delivery.queue';
import type { TestService } from './service';

/**
 * Simulates a process that dies after a number of steps. A step is a database operation or an enqueued delivery job.
 * @returns whether it died before the work was finished.
 */
export async function crashAfterSteps(
  steps: number,
  service: TestService,
  work: () => Promise<void>,
): Promise<boolean> {
  const crash = new Error('killed');
  let remaining = steps;
  let died = false;
  const countStep = () => {
    if (remaining === 0) {
      died = true;
      throw crash;
    }
    remaining -= 1;
  };
  const connection = service.app.get<Connection>(getConnectionToken(), { strict: false });
  const queue = service.get(DeliveryQueue);
  const enqueue = queue.enqueue.bind(queue);
  // Mongoose calls the debug function before every driver operation.
  connection.set('debug', countStep);
  const spy = jest.spyOn(queue, 'enqueue').mockImplementation(async (subscriptions) => {
    countStep();
    return enqueue(subscriptions);
  });
  try {
    await work();
  } catch (error) {
    if (error !== crash) throw error;
  } finally {
    connection.set('debug', false);
    spy.mockRestore();
  }
  return died;
}

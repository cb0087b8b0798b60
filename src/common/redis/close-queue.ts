import type { Queue } from 'bull';
import { withinLimit } from './within-limit';

/** Lets go of a queue's connections without waiting for jobs, or for a Redis that does not answer. */
export async function closeQueue(queue: Queue): Promise<void> {
  await withinLimit(queue.close(true));
  for (const client of queue.clients) client.disconnect();
}

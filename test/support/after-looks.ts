import { PhoneStreamService } from '../../src/phones/streams/phone-stream.service';
import { eventually } from './eventually';
import type { TestService } from './service';

/**
 * Has processes look for what the phones of their streams have missed, as they do every minute, until the value is as expected.
 * One look may not be enough: it does nothing for a stream that another one, such as that of its connection, is still looking after.
 * @throws Error with the last value after 90 s.
 */
export function afterLooks<T>(
  services: readonly TestService[],
  read: () => Promise<T> | T,
  isExpected: (value: T) => boolean,
): Promise<T> {
  return eventually(async () => {
    for (const service of services) await service.get(PhoneStreamService).redeliver();
    return read();
  }, isExpected);
}

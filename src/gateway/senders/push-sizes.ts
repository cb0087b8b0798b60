import type { Device } from '../../devices/device.schema';
import type { PushClient } from '../../push/push-client.service';
import type { SendInput } from '../dto/send.request';
import { longestSmsCommand } from '../dispatch/sms-command';
import { checkEntries, type SendEntry } from '../sends/send-validation';
import { pushTargetOf } from '../dispatch/push-target';

/** A phone, and the longest subscription id that a message which names none may be handed to it with. */
export interface PossibleTarget {
  readonly device: Device;
  readonly simSubscriptionId?: number;
}

/**
 * Checks that each text fits the push service of every phone that may get it.
 * @throws ValidationFailed with an error for each text that is too long.
 */
export function assertPushSizes(
  pushClient: PushClient,
  input: SendInput,
  entries: readonly SendEntry[],
  targets: readonly PossibleTarget[],
): void {
  checkEntries(input, entries, (entry, report) => {
    const fits = targets.every(({ device, simSubscriptionId }) =>
      pushClient.fits(
        pushTargetOf(device),
        longestSmsCommand({ ...entry, simSubscriptionId: entry.simSubscriptionId ?? simSubscriptionId }),
      ),
    );
    const field = entry.encryptedMessage === undefined ? 'message' : 'encryptedMessage';
    if (!fits) report(field, 'is too long for the push service of the device; shorten or split it');
  });
}

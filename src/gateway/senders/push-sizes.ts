import { type FieldError, ValidationFailed } from '../../common/errors';
import type { Device } from '../../devices/device.schema';
import type { PushService } from '../../push/push.service';
import type { SendInput } from '../dto/send.request';
import { longestSmsCommand } from '../dispatch/sms-command';
import { entryField, type SendEntry } from '../sends/send-validation';
import { pushTargetOf } from '../sends/sending-device.service';

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
  push: PushService,
  input: SendInput,
  entries: readonly SendEntry[],
  targets: readonly PossibleTarget[],
): void {
  const errors = entries.flatMap((entry, number): FieldError[] => {
    const fits = targets.every(({ device, simSubscriptionId }) =>
      push.fits(
        pushTargetOf(device),
        longestSmsCommand({ ...entry, simSubscriptionId: entry.simSubscriptionId ?? simSubscriptionId }),
      ),
    );
    if (fits) return [];
    const field = entryField(
      input,
      number,
      entry.encryptedMessage === undefined ? 'message' : 'encryptedMessage',
    );
    return [
      { field, message: `${field} is too long for the push service of the device; shorten or split it` },
    ];
  });
  if (errors.length > 0) throw new ValidationFailed(errors);
}

import { Types } from 'mongoose';
import type { Device } from '../../devices/store/device.schema';
import type { PushClient } from '../../push/push-client.service';
import type { PushCommand } from '../../push/transport/push-transport';
import type { SendInput } from '../send-input/send-input';
import { toSmsCommand } from '../push-commands/sms-command';
import { checkEntries, type SendEntry } from '../send-input/send-validation';
import { pushTargetOf } from '../push-commands/push-target';

/** A phone, and the longest subscription id that a message which names none may be handed to it with. */
export interface PossibleTarget {
  readonly device: Device;
  readonly simSubscriptionId?: number;
}

/**
 * Checks that each text fits the push service of every phone that may get it.
 * @throws ValidationFailed with an error for each text that is too long.
 */
export async function assertPushSizes(
  pushClient: PushClient,
  input: SendInput,
  entries: readonly SendEntry[],
  targets: readonly PossibleTarget[],
): Promise<void> {
  await checkEntries(input, entries, (entry, report) => {
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

/** The longest command of a send entry: the one for its longest recipient. */
export function longestSmsCommand(entry: SendEntry): PushCommand {
  const { recipients } = entry;
  const recipient = recipients.reduce((longest, next) => (next.length > longest.length ? next : longest), '');
  const anyId = new Types.ObjectId();
  return toSmsCommand({ ...entry, _id: anyId, smsBatch: anyId, recipient });
}

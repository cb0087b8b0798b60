import type { Device } from '../../devices/store/device.schema';
import type { MovableState } from '../routing/message-moves.repository';

/** Why a message was not moved. Stable: programs may compare it. */
export const MOVE_REFUSALS = [
  'MESSAGE_NOT_FOUND',
  'MESSAGE_BEING_HANDED_OVER',
  'MESSAGE_HANDED_OVER',
  'MESSAGE_SETTLED',
  'ENCRYPTION_NOT_SUPPORTED',
] as const;
export type MoveRefusal = (typeof MOVE_REFUSALS)[number];

export const MOVE_REFUSAL_TEXTS: Record<MoveRefusal, string> = {
  MESSAGE_NOT_FOUND: 'The account has sent no message with this id',
  MESSAGE_BEING_HANDED_OVER: 'A phone is being handed the message at this moment; try again in a minute',
  MESSAGE_HANDED_OVER:
    'A phone has the message, or may have it; only what was never handed over can be moved',
  MESSAGE_SETTLED: 'The message is sent, failed or cancelled; send it again instead',
  ENCRYPTION_NOT_SUPPORTED: 'The message is encrypted, and the app of the other phone does not decrypt',
};

/** @param state the message after the move; undefined if the account has none. @returns undefined if it is at the phone, and in no pool. */
export function moveRefusalOf(
  state: MovableState | undefined,
  to: Pick<Device, '_id' | 'supportsEncryption'>,
): MoveRefusal | undefined {
  if (state?.direction !== 'sent' || state.deletedAt || !state.smsBatch) return 'MESSAGE_NOT_FOUND';
  const { status, pushStartedAt, device, pool, encryptedMessage } = state;
  if (status === 'dispatched' || status === 'unknown') return 'MESSAGE_HANDED_OVER';
  if (status !== 'pending') return 'MESSAGE_SETTLED';
  if (device.equals(to._id) && !pool) return undefined;
  if (!pushStartedAt && encryptedMessage !== undefined && !to.supportsEncryption)
    return 'ENCRYPTION_NOT_SUPPORTED';
  return 'MESSAGE_BEING_HANDED_OVER';
}

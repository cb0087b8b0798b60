import type { Device } from '../../devices/device.schema';
import type { OutgoingMessage } from '../../messages/message.schema';

/** Due messages that were routed to one phone. */
export interface RoutedMessages {
  readonly device: Device;
  /** Those of a pool with the device, SIM and choice that their claim is to store. */
  readonly messages: readonly OutgoingMessage[];
  /** Whether their pool has chosen their SIMs; false without a pool, and after it was deleted. */
  readonly isChosenByPool: boolean;
}

import type { Device } from '../../devices/store/device.schema';
import type { OutgoingMessage } from '../../messages/message.schema';

/** Due messages that were routed to one phone. */
export interface RoutedMessages {
  readonly device: Device;
  /** Those of a pool with the device, SIM and choice that their claim is to store. */
  readonly messages: readonly OutgoingMessage[];
  /** Whether they are of a pool, which chooses their SIMs. */
  readonly isChosenByPool: boolean;
}

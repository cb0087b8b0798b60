import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../common/durations';
import type { Device } from './device.schema';
import type { PushTransportName } from '../../common/push-transports';

/** What differs between phones. Code decides by these, never by the name of a transport or protocol. */
export interface PhoneCapabilities {
  /** It gets messages over a stream that it keeps open, and is offline without one. */
  readonly holdsStream: boolean;
  /** It fetches its messages, when its stream wakes it or by itself: nothing is handed over before. */
  readonly fetches: boolean;
  /** It gets messages by its push token, and is offline without one. */
  readonly needsPushToken: boolean;
  /** It handles requests not to send what it has. */
  readonly cancels: boolean;
  /** How long after its push a message may still arrive; a second copy before that could be sent twice. */
  readonly redeliverAfterMs: number;
  /** How long after it has acknowledged a message it is redelivered, if it has not reported on it; an app that knows it only reports. */
  readonly relistAfterMs?: number;
  /** How long after it was handed over a message is redelivered; later the app may have forgotten that it has sent it. */
  readonly redeliverForMs: number;
}

/** `cancels`: if the phone says that it does. */
const BY_TRANSPORT: Readonly<Record<PushTransportName, PhoneCapabilities>> = {
  fcm: {
    holdsStream: false,
    fetches: false,
    needsPushToken: true,
    cancels: false,
    redeliverAfterMs: 30 * MINUTE_MS,
    redeliverForMs: 72 * HOUR_MS,
  },
  stream: {
    holdsStream: true,
    fetches: false,
    needsPushToken: false,
    cancels: true,
    redeliverAfterMs: 0,
    redeliverForMs: 72 * HOUR_MS,
  },
  wake: {
    holdsStream: false,
    fetches: true,
    needsPushToken: false,
    cancels: true,
    redeliverAfterMs: 0,
    relistAfterMs: 5 * MINUTE_MS,
    redeliverForMs: DAY_MS,
  },
};

export function capabilitiesOf({
  pushTransport,
  supportsCancel = false,
}: Pick<Device, 'pushTransport'> & Partial<Pick<Device, 'supportsCancel'>>): PhoneCapabilities {
  const capabilities = BY_TRANSPORT[pushTransport];
  return { ...capabilities, cancels: capabilities.cancels && supportsCancel };
}

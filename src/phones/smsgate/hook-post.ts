import type { HeartbeatAttributes } from '../../devices/store/device-attributes';
import type { IncomingSmsUpload } from '../incoming-sms-upload';

type Fields = Readonly<Record<string, unknown>>;

/** What the app posts; `other`: an event that is not used. */
export type HookPost =
  | { readonly event: 'received'; readonly upload: IncomingSmsUpload }
  | { readonly event: 'ping'; readonly facts: HeartbeatAttributes }
  | { readonly event: 'other' };

/** @param body whose signature is right. One that cannot be read is ignored, because the app repeats what is refused for two days. */
export function readHookPost(body: string): HookPost {
  const post = parse(body);
  const payload = fieldsOf(post.payload);
  switch (post.event) {
    case 'sms:received':
      return { event: 'received', upload: uploadOf(payload) };
    case 'system:ping':
      return { event: 'ping', facts: factsOf(fieldsOf(payload.health)) };
    default:
      return { event: 'other' };
  }
}

function parse(body: string): Fields {
  try {
    return fieldsOf(JSON.parse(body));
  } catch {
    return {};
  }
}

function uploadOf({ sender, phoneNumber, message, receivedAt, simNumber }: Fields): IncomingSmsUpload {
  return { sender: sender ?? phoneNumber, message, receivedAt, simSubscriptionId: simNumber };
}

/** Bits of `battery:charging`: charging, by mains, by USB. */
const CHARGING = 1;

function factsOf({ version, releaseId, checks }: Fields): HeartbeatAttributes {
  const observed = (name: string) => fieldsOf(fieldsOf(checks)[name]).observedValue;
  const [level, charging] = [observed('battery:level'), observed('battery:charging')];
  return {
    ...(typeof level === 'number' && level >= 0 && level <= 100 && { batteryPercentage: Math.round(level) }),
    ...(typeof charging === 'number' && { isCharging: (charging & CHARGING) !== 0 }),
    ...(typeof version === 'string' && version.length <= 32 && { appVersionName: version }),
    ...(typeof releaseId === 'number' && Number.isSafeInteger(releaseId) && { appVersionCode: releaseId }),
  };
}

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};

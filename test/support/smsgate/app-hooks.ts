import { type AppAbilities } from './app-version';
import { asArray, asObject, optionalEnum, requiredString } from './gson';

const EVENTS = [
  'sms:received',
  'sms:sent',
  'sms:delivered',
  'sms:failed',
  'sms:cancelled',
  'sms:data-received',
  'mms:received',
  'mms:downloaded',
  'system:ping',
] as const;
export type HookEvent = (typeof EVENTS)[number] | 'app:started';

/** A webhook that the service wants; without an event if this version of the app does not know it. */
export interface AppHook {
  readonly id: string;
  readonly url: string;
  readonly event?: HookEvent;
}

/**
 * Reads the list of webhooks.
 * @param report receives what the app accepts, but the protocol does not allow.
 * @throws UnreadableJson
 */
export function readHooks(
  body: unknown,
  { announcesStart }: AppAbilities,
  report: (violation: string) => void,
): AppHook[] {
  const events: readonly HookEvent[] = announcesStart ? [...EVENTS, 'app:started'] : EVENTS;
  const hooks = asArray(body, 'webhooks').map((each): AppHook => {
    const json = asObject(each, 'webhook');
    const id = requiredString(json, 'id');
    const event = optionalEnum(json, 'event', events);
    if (event === undefined) report(`webhook ${id} has an event that this version does not know`);
    if (id.length > 36) report(`webhook id of ${id.length} characters`);
    return { id, url: requiredString(json, 'url'), event };
  });
  if (new Set(hooks.map(({ id }) => id)).size < hooks.length) report('two webhooks have the same id');
  return hooks;
}
